# shellcheck shell=sh
# What the script has of its own: a folder, a program, agents. All of it goes when the script ends, however it ends.

base=com.example.converge-conformance
# Whatever `enable` and `disable` are given stays in launchd's list for good: always the same label, so that it is one entry.
switch=$base.switch
# Of every agent that was ever written.
labels=
folder=

make_scratch() {
  trap clean_up EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  folder=$(mktemp -d "${TMPDIR:-/tmp}/converge-conformance.XXXXXX") || exit 1
  # launchd tells paths without symbolic links, and the temporary folder of a Mac is behind one.
  folder=$(cd "$folder" && pwd -P) || exit 1
  perl=$(command -v perl) || {
    echo 'There is no perl here.' >&2
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
  if [ -n "$overrides" ] && is_disabled "$switch"; then ctl enable "$domain/$switch" >/dev/null 2>&1; fi
  rm -rf "$folder"
  if ctl print-disabled "$domain" 2>/dev/null | grep -qF "\"$switch\""; then
    heading "launchd keeps one entry, \"$switch\" => enabled, in its list of disabled labels; it means nothing."
  fi
  exit "$ended"
}

# A server: PORT, how it takes SIGTERM, and the file in which it says each time that it has started. As long as its child lives, nobody
# else has the lock beside that file; a process number would say so of one that has ended, until somebody asks how.
write_program() {
  cat >"$folder/listener.pl" <<'END'
use strict;
use Cwd;
use Fcntl ':flock';
use IO::Socket::INET;
use Time::HiRes 'time';
my ($port, $manner, $told) = @ARGV;
$SIG{TERM} = 'IGNORE' if $manner eq 'deaf';
$SIG{TERM} = sub { exit 0 } if $manner =~ /^polite/;
$SIG{USR1} = sub { exit 0 };
$SIG{USR2} = sub { exit 3 };
my $socket = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', LocalPort => $port, ReuseAddr => 1) or exit 9;
my $child = fork;
if ($child == 0) {
  $SIG{TERM} = 'DEFAULT';
  close $socket;
  open my $held, '>>', "$told.held" or exit 7;
  flock $held, LOCK_EX;
  sleep 300;
  exit 0;
}
$| = 1;
print "listens\n";
open my $file, '>>', $told or exit 8;
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
		<string>$folder/$2.told</string>
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

# What the program NAME said of its last start: latest NAME FIELD
latest() {
  sed -n "s/^$2 //p" "$folder/$1.told" 2>/dev/null | tail -n 1
}

starts() {
  grep -c '^pid ' "$folder/$1.told" 2>/dev/null || :
}

# has_started NAME TIMES
has_started() {
  [ "$(($(starts "$1") + 0))" -ge "$2" ]
}

# child_ended NAME
child_ended() {
  perl -MFcntl=:flock -e 'open F, ">>", shift or exit 2; exit(flock(F, LOCK_EX | LOCK_NB) ? 0 : 1)' "$folder/$1.told.held"
}

is_alive() {
  kill -0 "$1" 2>/dev/null
}
