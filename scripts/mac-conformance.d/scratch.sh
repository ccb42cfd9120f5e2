# shellcheck shell=sh
# The script's folder, program and agents. All of them are removed when the script ends, however it ends.

base=com.example.converge-conformance
# Every label given to `enable` and `disable` stays in launchd's list: always the same one, so that it is one entry.
switch=$base.switch
# The labels of all agents that were written.
labels=
folder=

make_scratch() {
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  folder=$(mktemp -d "${TMPDIR:-/tmp}/converge-conformance.XXXXXX") || exit 1
  # launchd prints paths without symbolic links, and the temporary folder of a Mac is behind one.
  folder=$(cd "$folder" && pwd -P) || exit 1
  perl=$(command -v perl) || {
    echo 'perl is not installed.' >&2
    exit 1
  }
  write_program
}

clean_up() {
  ended=$?
  trap '' HUP INT TERM
  [ -n "$folder" ] || exit "$ended"
  for label in $labels; do
    for place in "$domain" "user/$uid"; do ctl bootout "$place/$label" >/dev/null 2>&1; done
  done
  for label in $labels; do
    within 40 is_gone "$label" || echo "launchd still has $domain/$label: launchctl bootout $domain/$label" >&2
  done
  if [ -n "$daemons" ]; then sudo -n launchctl bootout "system/$base.$$.daemon" >/dev/null 2>&1; fi
  if [ -n "$overrides" ] && is_disabled "$switch"; then ctl enable "$domain/$switch" >/dev/null 2>&1; fi
  rm -rf "$folder"
  if ctl print-disabled "$domain" 2>/dev/null | grep -qF "\"$switch\""; then
    heading "launchd keeps one entry, \"$switch\" => enabled, in its list of disabled labels; it has no effect."
  fi
  exit "$ended"
}

# A server: PORT, how it reacts to SIGTERM, and the file in which it records each start. As long as its child lives, no other process
# can take the lock beside that file. A pid would not do: that of a zombie still exists.
write_program() {
  cat >"$folder/listener.pl" <<'END'
use strict;
use Cwd;
use Fcntl ':flock';
use IO::Socket::INET;
use Time::HiRes 'time';
my ($port, $manner, $record) = @ARGV;
$SIG{TERM} = 'IGNORE' if $manner eq 'deaf';
$SIG{TERM} = sub { exit 0 } if $manner =~ /^polite/;
$SIG{USR1} = sub { exit 0 };
$SIG{USR2} = sub { exit 3 };
my $socket = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', LocalPort => $port, ReuseAddr => 1) or exit 9;
my $child = fork;
if ($child == 0) {
  $SIG{TERM} = 'DEFAULT';
  close $socket;
  open my $held, '>>', "$record.held" or exit 7;
  flock $held, LOCK_EX;
  sleep 300;
  exit 0;
}
$| = 1;
print "listens\n";
open my $file, '>>', $record or exit 8;
syswrite $file, join '', "pid $$\n", "at ${\time}\n", "child $child\n", "folder ${\getcwd}\n", map { "env $_=$ENV{$_}\n" } sort keys %ENV;
close $file;
sleep 60 while 1;
END
}

# write_agent NAME MANNER [MORE-KEYS [LIFE]]: the property list of converge with another program in it.
write_agent() {
  labels="$labels $base.$$.$1"
  write_list "$base.$$.$1" "$@"
}

# write_list LABEL NAME MANNER [MORE-KEYS [LIFE]]
write_list() {
  port=0
  if [ "$2" = main ]; then port=$main_port; fi
  cat >"$folder/$2.plist" <<END
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>$1</string>
	<key>ProgramArguments</key>
	<array>
		<string>$perl</string>
		<string>$folder/listener.pl</string>
		<string>$port</string>
		<string>$3</string>
		<string>$folder/$2.started</string>
	</array>
	<key>RunAtLoad</key>
	<false/>
	${5-<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>}
	<key>StandardOutPath</key>
	<string>$folder/$2.log</string>
	<key>StandardErrorPath</key>
	<string>$folder/$2.log</string>
	<key>ProcessType</key>
	<string>Interactive</string>
	${4-}
</dict>
</plist>
END
  chmod 644 "$folder/$2.plist"
}

# What the program NAME recorded at its last start: latest NAME FIELD
latest() {
  sed -n "s/^$2 //p" "$folder/$1.started" 2>/dev/null | tail -n 1
}

# count_starts NAME: sets $starts, by what a shell has: it is called until a start is seen.
count_starts() {
  starts=0
  [ -f "$folder/$1.started" ] || return 0
  while read -r word _; do
    if [ "$word" = pid ]; then starts=$((starts + 1)); fi
  done <"$folder/$1.started"
}

# has_started NAME TIMES
has_started() {
  count_starts "$1"
  [ "$starts" -ge "$2" ]
}

# child_ended NAME
child_ended() {
  perl -MFcntl=:flock -e 'open F, ">>", shift or exit 2; exit(flock(F, LOCK_EX | LOCK_NB) ? 0 : 1)' "$folder/$1.started.held"
}

is_alive() {
  kill -0 "$1" 2>/dev/null
}
