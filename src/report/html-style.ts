/** All of the page's looks: light and dark, wide and narrow, on a screen and on paper. Contrasts are 4.5 : 1 or more (WCAG AA). */
export const style = `
:root { color-scheme: light dark; --ground: #fff; --card: #f6f7f9; --line: #d4d8de; --text: #16191d; --soft: #50565e;
  --good: #116a35; --pending: #0b57a4; --doubt: #7d5300; --bad: #b3231a; --blocked: #6b3fa0; --foreign: #00666e; --mono: ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171a; --card: #1d2125; --line: #3a4047; --text: #e8eaed; --soft: #a9b0b8;
  --good: #6fce93; --pending: #82b8f5; --doubt: #e5b34f; --bad: #ff8f85; --blocked: #c6a8f7; --foreign: #5fd0d6; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem 1rem 4rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
p.headline { font-size: 1.1rem; font-weight: 600; }
h2 { font-size: 1.2rem; margin: 2.25rem 0 .5rem; padding-top: .5rem; border-top: 2px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0; display: inline; }
p { margin: .35rem 0; }
a { color: var(--pending); }
:focus-visible { outline: 3px solid var(--pending); outline-offset: 2px; }
.soft { color: var(--soft); }
.good { color: var(--good); } .pending { color: var(--pending); } .doubt { color: var(--doubt); } .bad { color: var(--bad); }
.blocked { color: var(--blocked); } .foreign { color: var(--foreign); }
.state { font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
details, .card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin: .6rem 0; padding: .6rem .9rem; }
details > summary { cursor: pointer; }
details > summary > .soft { margin-left: .5rem; }
details[open] > summary > .soft { display: none; }
details.finding, .action details { border: 0; padding: 0; margin: .35rem 0; background: none; }
details details { background: var(--ground); }
code, pre { font-family: var(--mono); font-size: .875rem; }
pre { overflow-x: auto; background: var(--ground); border: 1px solid var(--line); border-radius: .35rem; padding: .6rem; margin: .5rem 0; }
pre .added { color: var(--good); } pre .gone { color: var(--bad); } pre .place { color: var(--soft); }
ul { margin: .35rem 0; padding-left: 1.25rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .75rem; margin: .35rem 0; }
dt { color: var(--soft); grid-column: 1; } dd { margin: 0; grid-column: 2; } dd + dd { margin-top: .15rem; }
.chart { display: block; width: 100%; max-width: 46rem; height: auto; overflow: visible; }
svg text { font: .75rem system-ui, sans-serif; fill: var(--text); }
@media (max-width: 36rem) { body { padding: 1rem .75rem 1.5rem; } h1 { font-size: 1.25rem; }

  body { font-size: .875rem; line-height: 1.4; } h2 { margin-top: 1.25rem; } details, .card { padding: .5rem .65rem; margin: .4rem 0; }
  dl { gap: 0 .5rem; } th, td { padding: .2rem .5rem .2rem 0; }
  .narrow-off { display: none; } .chart text { font-size: 1.5rem; } }
@media print { :root { color-scheme: light; --ground: #fff; --card: #fff; --text: #000; --soft: #333; } body { max-width: none; padding: 0; }
  details::details-content { content-visibility: visible; block-size: auto; } details, .card { break-inside: avoid; } }
`
