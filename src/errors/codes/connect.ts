import type { CatalogueEntry } from './entry.ts'

export const connectCodes = {
  'CONNECT.DNS': {
    exit: 4,
    title: 'the name of a host could not be resolved',
    explain:
      'Neither DNS nor the hosts file knows the address that the inventory or your ssh config gives for this host. Check ' +
      '`ansible_host`, the `HostName` in your ssh config, and that you are on the network where the name is known.',
  },
  'CONNECT.UNTRUSTED': {
    exit: 4,
    title: 'how a host is reached is not taken from everybody',
    explain:
      'With `--no-secret-commands` the inventory is taken for one that may come from somebody else. It may say where a host is and who logs in ' +
      'there: `ansible_host`, `ansible_port`, `ansible_user`, a key file, and in `ansible_ssh_common_args` `-p`, `-l`, `-J`, `-C` and options such as ' +
      '`ConnectTimeout`, `ProxyJump`, `ServerAliveInterval` or `Ciphers`, in the plain form `-o Port=22`. It may not have programs run or files read on this ' +
      'machine (`ProxyCommand`, `-F` …), have its variables sent (`SendEnv`), make it less strict with host keys, nor connect to it itself ' +
      '(`ansible_connection: local`). What you need to reach your hosts belongs into the ssh config of the machine that runs converge.',
  },
  'CONNECT.REFUSED': {
    exit: 4,
    title: 'nothing listens on the SSH port',
    explain:
      'The machine answered, and refused the connection: its SSH server is not running, or it listens on another port. Check ' +
      '`ansible_port`; on macOS switch on Remote Login in the sharing settings.',
  },
  'CONNECT.UNREACHABLE': {
    exit: 4,
    title: 'there is no way to the host',
    explain:
      'The network has no route to the address, or a router on the way said no. The machine may be off or asleep, or you may be outside ' +
      'its network.',
  },
  'CONNECT.TIMEOUT': {
    exit: 4,
    title: 'the host did not answer in time',
    explain:
      'Nothing came back within the time for connecting: the machine is off or asleep, a firewall drops the packets, or its SSH ' +
      'server hangs before its greeting. `ssh -v` to the same address shows how far it gets.',
  },
  'CONNECT.RESET': {
    exit: 4,
    title: 'the SSH server closed the connection before login',
    explain:
      'The connection was opened and then cut before the login was over. SSH servers do so when too many connections start at once ' +
      '(MaxStartups), when they punish an address after failed logins (PerSourcePenalties), and when a TCP wrapper or fail2ban bars you.',
  },
  'CONNECT.HANDSHAKE': {
    exit: 4,
    title: 'no common SSH algorithm, or no SSH server at all',
    explain:
      'What answered does not speak SSH, or it and the built-in SSH client have no algorithm in common, as with servers that allow ' +
      "post-quantum key exchange only. `ansible_connection: openssh` uses your system's own ssh, which knows more algorithms.",
  },
  'CONNECT.HOST_KEY_UNKNOWN': {
    exit: 4,
    title: 'the host key is not known',
    explain:
      'No known-hosts file has a key for this host, so nobody can tell whether it is the machine you mean. converge never accepts an ' +
      'unknown key and never writes to a known-hosts file, whatever StrictHostKeyChecking says. Compare the fingerprint with the one on the ' +
      'machine itself, then add the key with ssh-keyscan or by logging in once with ssh.',
  },
  'CONNECT.HOST_KEY_CHANGED': {
    exit: 4,
    title: 'the host key is not the one that is known',
    explain:
      'A known-hosts file has another key for this host. Either the machine was installed anew, or its address now belongs to another ' +
      'machine, or somebody sits in between. Find out which before you remove the old key with `ssh-keygen -R`.',
  },
  'CONNECT.HOST_KEY_REVOKED': {
    exit: 4,
    title: 'the host key is revoked',
    explain:
      'The key that the host showed is marked @revoked in a known-hosts file: it must never be trusted again. The host needs a new key.',
  },
  'CONNECT.AUTH_FAILED': {
    exit: 4,
    title: 'the host did not accept the login',
    explain:
      'None of the keys that were offered is accepted for this user. Check the user name, and that the public key stands in the ' +
      "account's authorized_keys. converge logs in with keys only, never with a password, and offers few of them: servers lock out clients that try many.",
  },
  'CONNECT.NO_KEY': {
    exit: 4,
    title: 'there is no key to log in with',
    explain:
      'Neither an agent nor a key file could be used. Start an agent and `ssh-add` a key, or name a key file with ' +
      '`ansible_ssh_private_key_file` or with IdentityFile in your ssh config.',
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
      'The private key file that the inventory names is missing, unreadable, no private key, or open to other users. SSH keys must be ' +
      'readable by their owner alone (mode 0600).',
  },
  'CONNECT.NO_SSH_CLIENT': {
    exit: 4,
    title: 'OpenSSH is not installed here',
    explain:
      'converge asks the OpenSSH client of this machine what your ssh config says and which host keys you know (`ssh -G`, `ssh-keygen ' +
      '-F`). Install it: package openssh-client on Debian and Ubuntu, openssh-clients on Fedora; macOS has it.',
  },
  'CONNECT.SSH_CONFIG': {
    exit: 4,
    title: 'the ssh config cannot be used',
    explain:
      'OpenSSH refused its own configuration, or it holds something that converge cannot follow. `ssh -G HOST` shows the same message.',
  },
  'CONNECT.PROXY': {
    exit: 4,
    title: 'the way through a proxy failed',
    explain:
      'The ProxyCommand ended, or the jump host refused to open a connection to the target. The jump host must allow TCP forwarding, and ' +
      'must itself be able to reach the target.',
  },
  'CONNECT.LOST': {
    exit: 4,
    title: 'the connection was lost',
    explain:
      'The connection broke while something ran on the host. Whether it was done is not known: it may have ended, may still be running ' +
      'until its time is up, or may have been cut off. The next plan looks at the host and says what is left to do.',
  },
  'CONNECT.SHELL': {
    exit: 4,
    title: 'no shell could be started on the host',
    explain:
      'The login worked, but /bin/sh did not come up: the account has no usable login shell, a forced command stands in its way, or its ' +
      'start-up files never finish. `ssh HOST /bin/sh -c true` must end at once and with exit code 0.',
  },
  'CONNECT.CHANNEL_REFUSED': {
    exit: 4,
    title: 'the SSH server refused a session',
    explain:
      'The connection stands, but the server opens no session on it: MaxSessions is 0, the account may not run commands, or the machine has ' +
      'run out of processes.',
  },
  'CONNECT.OUTPUT_TOO_LARGE': {
    exit: 4,
    title: 'a command printed too much',
    explain:
      'What came back was more than anything that converge runs has to tell (8 MiB), so it was ended: it would have to be kept in memory, for ' +
      'each host at once. The same holds for more than 64 KiB before sudo has asked for its password: a start-up file of the account may print without end.',
  },
  'CONNECT.FORWARD_REFUSED': {
    exit: 4,
    title: "nothing listens on the host's port",
    explain: "Nothing accepts connections on that port of the host's loopback address. The service is not running, or not yet.",
  },
  'CONNECT.FORWARD_PROHIBITED': {
    exit: 4,
    title: 'the SSH server forbids forwarding',
    explain:
      'HTTP requests to a service travel through the SSH connection, and the SSH server does not allow that (AllowTcpForwarding, ' +
      'PermitOpen, DisableForwarding, or an option in authorized_keys). What only HTTP can tell stays unknown. Allow local forwarding for the account.',
  },
  'CONNECT.SUDO_MISSING': {
    exit: 4,
    title: 'sudo is not installed on the host',
    explain:
      'The inventory says `ansible_become`, the login user is not the one to become, and there is no sudo. Install it, log in as that user, ' +
      'or set `ansible_become: false`.',
  },
  'CONNECT.SUDO_PASSWORD_NEEDED': {
    exit: 4,
    title: 'sudo asks for a password',
    explain:
      'sudo on the host wants a password and the inventory has none. Allow the account to use sudo without one (NOPASSWD), or set ' +
      '`ansible_become_password` to a reference: `{ env: NAME }`, `{ file: PATH }` or `{ command: […] }`.',
  },
  'CONNECT.SUDO_WRONG_PASSWORD': {
    exit: 4,
    title: 'sudo did not accept the password',
    explain:
      'The password was tried once and not again, so that the account is not locked. Check what `ansible_become_password` refers to.',
  },
  'CONNECT.SUDO_DENIED': {
    exit: 4,
    title: 'sudo refused',
    explain: 'sudo does not let this account run /bin/sh as the user to become. `sudo -l` on the host lists what it may do.',
  },
  'CONNECT.SUDO_TTY': {
    exit: 4,
    title: 'sudo insists on a terminal',
    explain:
      'The sudo rules of the host have `requiretty`, which rules out every automation. Add `Defaults:USER !requiretty` with visudo; nothing ' +
      'is less safe for it.',
  },
} as const satisfies Record<string, CatalogueEntry>
