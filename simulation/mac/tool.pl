#!/usr/bin/perl
# Every simulated tool is this program under the tool's name: `tool.pl SOCKET NAME WORDS…`. The simulated Mac answers.
# In Perl, which every Debian and every Mac has, because it starts in a tenth of the time that Node takes: a probe runs dozens.
use strict;
use warnings;
use Socket;

my ($path, $name, @words) = @ARGV;

sub gone {
  print STDERR "$name: the simulated Mac is gone\n";
  exit 70;
}

my $mac;
socket($mac, PF_UNIX, SOCK_STREAM, 0) && connect($mac, pack_sockaddr_un($path)) or gone();
$SIG{PIPE} = 'IGNORE';
syswrite($mac, join("\0", $name, @words)) && shutdown($mac, 1) or gone();
my $answer = do { local $/ = undef; <$mac> };
my ($code, $length, $text) = ($answer // '') =~ /\A(\d+) (\d+)\n(.*)\z/s or gone();
print substr($text, 0, $length);
print STDERR substr($text, $length);
exit $code;
