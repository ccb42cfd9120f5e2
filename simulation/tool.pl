# Every simulated tool is this program; in front of it stands who it is: `$name`, where its simulated machine listens: `$socket`, and, for
# `head`, where the real one is: `$real`. The simulated machine answers.
# In Perl, which every Debian and every Mac has, because it starts in a tenth of the time that Node takes: a probe runs dozens. Without
# Socket.pm, which takes five times as long as all the rest (a Unix socket is 1 on both, and so is a stream), and without strict.pm, which
# takes a quarter of it.

sub gone {
  print STDERR "$name: the simulated machine is gone\n";
  exit 70;
}

# By `head -c` alone a script is read from stdin, and not a byte of what follows it; where the machine names the places of the script.
my $input = '';
if (defined $real) {
  exec $real, @ARGV if @ARGV != 2 || $ARGV[0] ne '-c';
  while ((my $left = $ARGV[1] - length($input)) > 0) { sysread(STDIN, $input, $left, length($input)) or last }
}

my $machine;
my $address = $^O eq 'darwin' ? pack('CCa104', 106, 1, $socket) : pack('Sa108', 1, $socket);
socket($machine, 1, 1, 0) && connect($machine, $address) or gone();
$SIG{PIPE} = 'IGNORE';
my $call = join("\0", $name, $ENV{LOGNAME} // '', @ARGV);
my $request = length($call) . "\n" . $call . $input;
for (my $sent = 0; $sent < length($request);) {
  $sent += syswrite($machine, $request, length($request) - $sent, $sent) || gone();
}
shutdown($machine, 1) or gone();
my $answer = do { local $/ = undef; <$machine> };
my ($code, $length, $text) = ($answer // '') =~ /\A(\d+) (\d+)\n(.*)\z/s or gone();
print substr($text, 0, $length);
print STDERR substr($text, $length);
exit $code;
