#!/usr/bin/perl
# Every simulated tool is this program under the tool's name: `tool.pl SOCKET NAME WORDS…`. The simulated machine answers.
# With `-i` before the socket it takes along what it reads from its stdin.
# In Perl, which every Debian and every Mac has, because it starts in a tenth of the time that Node takes: a probe runs dozens.
# Without Socket.pm, which takes five times as long as all the rest: a Unix socket is 1 on both, and so is a stream.
use strict;

my $takes = @ARGV && $ARGV[0] eq '-i' && shift @ARGV;
my ($path, $name, @words) = @ARGV;

sub gone {
  print STDERR "$name: the simulated machine is gone\n";
  exit 70;
}

my $machine;
my $address = $^O eq 'darwin' ? pack('CCa104', 106, 1, $path) : pack('Sa108', 1, $path);
socket($machine, 1, 1, 0) && connect($machine, $address) or gone();
$SIG{PIPE} = 'IGNORE';
my $call = join("\0", $name, $ENV{LOGNAME} // '', @words);
my $input = $takes ? do { local $/ = undef; <STDIN> } : '';
my $request = length($call) . "\n" . $call . ($input // '');
for (my $sent = 0; $sent < length($request);) {
  $sent += syswrite($machine, $request, length($request) - $sent, $sent) || gone();
}
shutdown($machine, 1) or gone();
my $answer = do { local $/ = undef; <$machine> };
my ($code, $length, $text) = ($answer // '') =~ /\A(\d+) (\d+)\n(.*)\z/s or gone();
print substr($text, 0, $length);
print STDERR substr($text, $length);
exit $code;
