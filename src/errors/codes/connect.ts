import type { CatalogueEntry } from './entry.ts'

export const connectCodes = {
  'CONNECT.DNS': {
    exit: 4,
    title: 'the host name could not be resolved',
    explain:
      'Neither DNS nor the hosts file knows the address that the inventory or your ssh config gives for this host. Check `ansible_host` and the ' +
      '`HostName` in your ssh config. Check also that you are on the network where the name is known.',
  },
  'CONNECT.UNTRUSTED': {
    exit: 4,
    title: 'a connection setting that an untrusted inventory may not use',
    explain:
      'With `--no-secret-commands`, converge treats the inventory as untrusted. It may say where a host is and who logs in: `ansible_host`, ' +
      '`ansible_port`, `ansible_user` and a key file. In `ansible_ssh_common_args` it may use `-p`, `-l`, `-J`, `-C`, and options such as ' +
      '`ConnectTimeout`, `ProxyJump`, `ServerAliveInterval` or `Ciphers`, in the plain form `-o Port=22`. It may not run programs or read files ' +
      'on this machine (`ProxyCommand`, `-F` …), nor send its variables (`SendEnv`). It may not make host key checking less strict, nor connect ' +
      'to this machine itself (`ansible_connection: local`). Put what you need to reach your hosts into the ssh config of the machine that runs ' +
      'converge.',
  },
  'CONNECT.REFUSED': {
    exit: 4,
    title: 'nothing listens on the SSH port',
    explain:
      'The machine answered and refused the connection: its SSH server is not running, or listens on another port. Check `ansible_port`. On ' +
      'macOS, switch on Remote Login in the sharing settings.',
  },
  'CONNECT.UNREACHABLE': {
    exit: 4,
    title: 'no route to the host',
    explain:
      'The network has no route to the address, or a router on the way rejected the packets. The machine may be off or asleep, or you may be ' +
      'outside its network.',
  },
  'CONNECT.TIMEOUT': {
    exit: 4,
    title: 'the host did not answer in time',
    explain:
      'The host sent nothing before the connection timed out. The machine is off or asleep, a firewall drops the packets, or its SSH server hangs ' +
      'before its greeting. Run `ssh -v` to the same address to see how far it gets.',
  },
  'CONNECT.RESET': {
    exit: 4,
    title: 'the SSH server closed the connection before login',
    explain:
      'The connection was opened, then closed before the login was complete. SSH servers do so when too many connections start at once ' +
      '(MaxStartups) or after failed logins from an address (PerSourcePenalties). A TCP wrapper or fail2ban that blocks you does so too.',
  },
  'CONNECT.HANDSHAKE': {
    exit: 4,
    title: 'no common SSH algorithm, or no SSH server at all',
    explain:
      'Either the other end does not speak SSH, or it has no algorithm in common with the built-in SSH client. The latter happens with servers ' +
      "that allow post-quantum key exchange only. Set `ansible_connection: openssh` to use your system's own ssh, which supports more algorithms.",
  },
  'CONNECT.HOST_KEY_UNKNOWN': {
    exit: 4,
    title: 'the host key is unknown',
    explain:
      'No known-hosts file has a key for this host, so whether it is the right machine is unknown. converge never accepts an unknown ' +
      'key and never writes to a known-hosts file, whatever StrictHostKeyChecking says. Compare the fingerprint with the one on the machine ' +
      'itself. Then add the key with ssh-keyscan, or log in once with ssh.',
  },
  'CONNECT.HOST_KEY_CHANGED': {
    exit: 4,
    title: 'the host key does not match the known one',
    explain:
      'A known-hosts file has another key for this host. Either the machine was reinstalled, its address now belongs to another machine, or ' +
      'someone intercepts the connection. Find out which before you remove the old key with `ssh-keygen -R`.',
  },
  'CONNECT.HOST_KEY_REVOKED': {
    exit: 4,
    title: 'the host key is revoked',
    explain:
      'The host presented a key that a known-hosts file marks as @revoked: it must never be trusted again. Give the host a new key.',
  },
  'CONNECT.AUTH_FAILED': {
    exit: 4,
    title: 'the host did not accept the login',
    explain:
      "The host accepts none of the offered keys for this user. Check the user name, and that the public key is in the account's authorized_keys. " +
      'converge logs in with keys only, never with a password. It offers few keys, because servers lock out clients that try many.',
  },
  'CONNECT.NO_KEY': {
    exit: 4,
    title: 'no key to log in with',
    explain:
      'converge found neither an agent nor a key file that it can use. Start an agent and `ssh-add` a key. Or name a key file with ' +
      '`ansible_ssh_private_key_file`, or with IdentityFile in your ssh config.',
  },
  'CONNECT.KEY_ENCRYPTED': {
    exit: 4,
    title: 'the key file needs its passphrase',
    explain: 'The key is encrypted and no agent holds it. converge never asks for passphrases: `ssh-add` the key to your agent.',
  },
  'CONNECT.KEY_FILE': {
    exit: 4,
    title: 'the key file cannot be used',
    explain:
      'The private key file that the inventory names is missing, unreadable, not a private key, or accessible to other users. Make the file ' +
      'readable by its owner alone (mode 0600).',
  },
  'CONNECT.NO_SSH_CLIENT': {
    exit: 4,
    title: 'OpenSSH is not installed on this machine',
    explain:
      'converge uses the OpenSSH client of this machine to read your ssh config and your known host keys (`ssh -G`, `ssh-keygen -F`). Install it: ' +
      'the package is openssh-client on Debian and Ubuntu, openssh-clients on Fedora. macOS includes it.',
  },
  'CONNECT.SSH_CONFIG': {
    exit: 4,
    title: 'the ssh config cannot be used',
    explain:
      'OpenSSH rejected its own configuration, or the configuration contains something that converge does not support. Run `ssh -G HOST` to see ' +
      'the same message.',
  },
  'CONNECT.PROXY': {
    exit: 4,
    title: 'the connection through a proxy failed',
    explain:
      'The ProxyCommand ended, or the jump host refused to open a connection to the target. Check that the jump host allows TCP forwarding and ' +
      'can itself reach the target.',
  },
  'CONNECT.LOST': {
    exit: 4,
    title: 'the connection was lost',
    explain:
      'The connection broke while a command was running on the host. Whether it was done is unknown: it may have ended, may run until its ' +
      'timeout, or may have been cut off. The next plan gathers facts from the host and says what is left to do.',
  },
  'CONNECT.SHELL': {
    exit: 4,
    title: 'no shell could be started on the host',
    explain:
      'The login worked, but /bin/sh did not start. The account has no usable login shell, a forced command replaces it, or its start-up files ' +
      'never finish. `ssh HOST /bin/sh -c true` must end at once and with exit code 0.',
  },
  'CONNECT.SLOW': {
    exit: 4,
    title: 'the host is too slow to start a shell',
    explain:
      'The login worked, but within the time limit (`--timeout` for facts, 30 s for other commands) the host started no shell and printed nothing. ' +
      'A host that has too much to do is one cause; start-up files that never finish are another. If several hosts are planned, converge asks ' +
      'such a host once more after the others, with fewer hosts at a time.',
  },
  'CONNECT.CHANNEL_REFUSED': {
    exit: 4,
    title: 'the SSH server refused a session',
    explain:
      'The connection is open, but the server does not open a session on it. MaxSessions is 0, the account may not run commands, or the machine ' +
      'has run out of processes.',
  },
  'CONNECT.OUTPUT_TOO_LARGE': {
    exit: 4,
    title: 'a command printed too much',
    explain:
      'A command printed more than 8 MiB, which is more than any command of converge needs to print. converge ended it, because it keeps the ' +
      'output of all hosts in memory. The limit is 64 KiB until sudo has asked for its password. A start-up file of the account may print ' +
      'endlessly.',
  },
  'CONNECT.FORWARD_REFUSED': {
    exit: 4,
    title: "nothing listens on the host's port",
    explain:
      "Nothing accepts connections on that port of the host's loopback address. The service is not running, or is not ready yet.",
  },
  'CONNECT.FORWARD_PROHIBITED': {
    exit: 4,
    title: 'the SSH server forbids forwarding',
    explain:
      'converge sends HTTP requests to a service through the SSH connection. The SSH server does not allow that (AllowTcpForwarding, PermitOpen, ' +
      'DisableForwarding, or an option in authorized_keys). Facts that need HTTP stay unknown. Allow local forwarding for the account.',
  },
  'CONNECT.SUDO_MISSING': {
    exit: 4,
    title: 'sudo is not installed on the host',
    explain:
      'The inventory sets `ansible_become`, the login user is not the user to become, and the host has no sudo. Install it, log in as that user, ' +
      'or set `ansible_become: false`.',
  },
  'CONNECT.SUDO_PASSWORD_NEEDED': {
    exit: 4,
    title: 'sudo asks for a password',
    explain:
      'sudo on the host requires a password and the inventory has none. Allow the account to use sudo without one (NOPASSWD). Or set ' +
      '`ansible_become_password` to a reference: `{ env: NAME }`, `{ file: PATH }` or `{ command: […] }`.',
  },
  'CONNECT.SUDO_WRONG_PASSWORD': {
    exit: 4,
    title: 'sudo did not accept the password',
    explain:
      'converge tried the password once and does not try again, so that the account is not locked. Check what `ansible_become_password` refers ' +
      'to.',
  },
  'CONNECT.SUDO_DENIED': {
    exit: 4,
    title: 'sudo refused',
    explain:
      'sudo does not let this account run /bin/sh as the user to become. Run `sudo -l` on the host to list what the account may do.',
  },
  'CONNECT.SUDO_TTY': {
    exit: 4,
    title: 'sudo requires a terminal',
    explain:
      'The sudo rules of the host set `requiretty`, which prevents all automation. Add `Defaults:USER !requiretty` with visudo; this does not ' +
      'reduce security.',
  },
} as const satisfies Record<string, CatalogueEntry>
