#!/bin/sh
# What every OpenSSH host has: accounts, and an sshd that takes the keys of this run. Used by recipes.

# shellcheck disable=SC2034 # used by recipes
host_packages=systemd,systemd-sysv,dbus,openssh-server,iproute2,procps,sudo,curl,ca-certificates

# ssh_host ROOT
ssh_host() {
  people "$1"
  sshd_with_run_keys "$1"
  systemd_in_a_container "$1"
}

# people ROOT: `op` (sudo without a password), `pw` (sudo with the password "pw-password"), root by key.
people() {
  for name in op pw; do chroot "$1" useradd --create-home --shell /bin/bash "$name"; done
  echo 'pw:pw-password' | chroot "$1" chpasswd
  printf 'op ALL=(ALL:ALL) NOPASSWD: ALL\npw ALL=(ALL:ALL) ALL\n' >"$1/etc/sudoers.d/lab"
  chmod 0440 "$1/etc/sudoers.d/lab"
  # Whether an account has expired is asked by a process of its own, at each step of an apply.
  sed -i 's/^@include common-account$/account required pam_permit.so/' "$1/etc/pam.d/sudo"
}

# The host key and the client key are put in place before the container starts.
sshd_with_run_keys() {
  rm -f "$1"/etc/ssh/ssh_host_*
  # Five processes at each login, for a greeting.
  rm -r "$1/etc/update-motd.d"
  cat >"$1/etc/ssh/sshd_config.d/lab.conf" <<'CONF'
HostKey /etc/ssh/lab_host_key
AuthorizedKeysFile /etc/ssh/lab_authorized_keys .ssh/authorized_keys
PasswordAuthentication no
PermitRootLogin prohibit-password
UseDNS no
SetEnv GOGC=off
CONF
  # Go programs collect garbage a dozen times while they start: the docker client spends a sixth of its time on that.
  echo 'Defaults env_keep += "GOGC"' >"$1/etc/sudoers.d/garbage"
}

# What has no meaning in a container, so that systemd reports `running` and not `degraded`.
systemd_in_a_container() {
  : >"$1/etc/machine-id"
  for unit in systemd-udevd.service systemd-networkd.service systemd-timesyncd.service \
    console-getty.service getty.target dev-hugepages.mount sys-kernel-debug.mount \
    apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer; do
    ln -sf /dev/null "$1/etc/systemd/system/$unit"
  done
  # At the start and at each `daemon-reload`, a dozen programs would look for disks, consoles and a hypervisor.
  rm "$1"/usr/lib/systemd/system-generators/*
  mkdir -p "$1/srv/models"
}

# nested_engine ROOT [SETTINGS]: `op` may use the engine without sudo, `pw` may not.
nested_engine() {
  chroot "$1" usermod --append --groups docker op
  mkdir -p "$1/etc/docker"
  # Away from the addresses that the outer engine gives out; a host is asked at its own ports only, which are those of docker-proxy.
  cat >"$1/etc/docker/daemon.json" <<JSON
{
  "bip": "10.213.0.1/24", "default-address-pools": [{ "base": "10.214.0.0/16", "size": 24 }],
  "iptables": false, "ip6tables": false${2:+, $2}
}
JSON
  for unit in docker containerd; do
    mkdir -p "$1/etc/systemd/system/$unit.service.d"
    printf '[Service]\nEnvironment=GOGC=400\n' >"$1/etc/systemd/system/$unit.service.d/garbage.conf"
  done
}

# Each look at a host asks compose for its version, and the docker client asks its plugin each time what it is: the same answers, without the start of a
# large program. answers_at_once ROOT PROGRAM [WORDS COMMAND]…: of PROGRAM with these words, which COMMAND calls
answers_at_once() {
  root=$1 program=$2 real=/usr/lib/asked/${2##*/} answers=''
  shift 2
  while [ $# -gt 0 ]; do
    # shellcheck disable=SC2086 # words
    answers="$answers'$1') echo '$(chroot "$root" $2)' ;;
"
    shift 2
  done
  mkdir "$root${real%/*}"
  mv "$root$program" "$root$real"
  printf '#!/bin/sh\ncase $* in\n%s*) exec %s "$@" ;;\nesac\n' "$answers" "$real" >"$root$program"
  chmod 755 "$root$program"
}
