/**
 * Go template for `docker inspect`: one line per thing, a tag first, text as JSON so that no value can break a line. `j` lines are
 * arguments and pass the redactor; entrypoint and command are told apart by the lines before them. `.Id` is the name in the
 * engine's own JSON: asking by it makes every version of the client use that JSON, not structures of its own.
 */
export const inspectTemplate = `id {{.Id}}
name {{json .Name}}
image {{json .Config.Image}}
made {{.Image}}
state {{.State.Status}} {{json .State.ExitCode}} {{.State.OOMKilled}} {{json .State.Pid}} {{json .RestartCount}} {{.State.StartedAt}}
health {{with index .State "Health"}}{{.Status}}{{else}}none{{end}}
restart {{json .HostConfig.RestartPolicy.Name}}
entrypoint
{{range .Config.Entrypoint}}j {{json .}}
{{end}}command
{{range .Config.Cmd}}j {{json .}}
{{end}}{{range .Mounts}}{{if eq .Type "bind"}}bind {{.RW}} {{json .Source}} {{json .Destination}}
{{end}}{{end}}{{range $port, $bindings := .HostConfig.PortBindings}}{{range $bindings}}port {{$port}} {{json .HostPort}}
{{end}}{{end}}{{range $name, $value := .Config.Labels}}l {{json $name}} {{json $value}}
{{end}}`
