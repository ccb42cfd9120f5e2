# Every simulated tool is this program. Its file begins with three variables: `$name`; `$socket`, on which its simulated machine listens; and,
# for `head`, `$real`, the path of the real one. The simulated machine answers.
# In Perl, which every Debian and every Mac has: it starts in a tenth of the time of Node, and a probe runs dozens of tools. Without
# Socket.pm, which would take five times as long as all the rest (AF_UNIX and SOCK_STREAM are 1 on both systems), and without strict.pm,
# which would take a quarter of it.

sub gone {
  print STDERR "$name: the simulated machine is gone\n";
  exit 70;
}

# `head -c N` without a file reads a script from stdin, and not one byte more. The machine translates the paths in the script.
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
my ($code, $length, $goes_on) = (<$machine> // '') =~ /\A(\d+) (\d+)(\+?)\n\z/ or gone();
if ($goes_on) {
  $| = 1;
  while (defined(my $line = <$machine>)) { print $line or last }
  exit $code;
}
my $text = do { local $/ = undef; <$machine> } // '';
print substr($text, 0, $length);
print STDERR substr($text, $length);
exit $code;
