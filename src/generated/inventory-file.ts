// Generated from schemas/ by `npm run generate`; not to be edited.

/**
 * Letters, digits, `_`, `-` and `.`. Host patterns split at every other character.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "group_name".
 */
export type GroupName = string
/**
 * Hosts, child groups and the variables that they share. A group without a body is empty; under `children` it refers to a group that is defined elsewhere.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "group".
 */
export type Group = {
  /**
   * Host names, each with a colon and optional variables of that host. A range stands for many hosts: `mac-[01:50]`, `node-[a:c]`, `n[0:10:2]`. `name:2222` sets the SSH port.
   */
  hosts?: {
    [k: string]: Vars
  } | null
  /**
   * Groups whose hosts belong to this group as well. Variables of a child override those of its parents.
   */
  children?: {
    [k: string]: Group
  } | null
  vars?: Vars
} | null
/**
 * The content of `group_vars/<group>.yaml` and `host_vars/<host>.yaml`, of a group's `vars:`, and below a host's name. Precedence is Ansible's: all < parent group < child group < host. At the same level, files override `hosts.yaml`. A value replaces a less specific one. Only `services` merges: by service name, and each service by key. `fleet.ignore_vars` allows variables of other tools.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "vars".
 */
export type Vars = {
  fleet?: Fleet
  /**
   * The operating system, which must match the host. It decides the default manager and context size. Without it, the defaults of `linux` apply.
   */
  platform?: 'linux' | 'macos'
  /**
   * The RAM that the machine should have. converge compares it with the host. Without it, only the observed RAM counts.
   */
  ram_gb?: number
  /**
   * Where converge keeps definitions, key files, records and the lock. Default: `/etc/converge` for root, else `~/.config/converge`.
   */
  converge_dir?: string
  /**
   * The name or address at which clients reach the services of the host. `converge endpoints` lists it. Default: the address for SSH.
   */
  client_address?: string
  /**
   * macOS: minutes of inactivity until each part sleeps, under its name in `pmset`; 0 means never. converge sets them for every power source and needs `ansible_become: true`. It does not change a timer that is not listed.
   */
  sleep?: {
    /**
     * A sleeping disk delays the next answer, because the server reads the model from it when memory is short.
     */
    disksleep?: number
    /**
     * A sleeping machine answers no request. `keep_awake` of a service keeps it awake only while that server runs.
     */
    sleep?: number
    /**
     * It does not affect the servers.
     */
    displaysleep?: number
  }
  /**
   * macOS: adds a rule for newsyslog that rotates the logs of services under launchd, which otherwise grow without limit (LOG.UNBOUNDED). The rule in `/etc/newsyslog.d/converge.<org>.conf` keeps ten megabytes and five old files of each log. It needs `ansible_become: true`. converge does not change the rules and files of others. Without the setting, an existing rule stays.
   */
  rotate_logs?: boolean
  services?: Services
  /**
   * One line of text that is not empty.
   */
  ansible_host?: string
  /**
   * The port of the SSH server. Default: the port in `~/.ssh/config`, else 22.
   */
  ansible_port?: Port | string
  /**
   * One line of text that is not empty.
   */
  ansible_user?: string
  /**
   * One line of text that is not empty.
   */
  ansible_ssh_private_key_file?: string
  /**
   * `ssh`: built in, one connection per host. `openssh`: your own `ssh` program, for certificates and hardware keys. `local`: this machine. Ansible's other names mean the same: `smart`, `ansible.builtin.ssh`, `ansible.builtin.local`.
   */
  ansible_connection?: 'ssh' | 'openssh' | 'local' | 'smart' | 'ansible.builtin.ssh' | 'ansible.builtin.local'
  /**
   * Run commands on the host through `sudo`. Ansible's words for true and false mean the same: `yes`, `on`, `"true"`, 1.
   */
  ansible_become?: boolean | string | number
  /**
   * One line of text that is not empty.
   */
  ansible_become_user?: string
  /**
   * Where converge finds the password for `sudo`. Never write the password itself.
   */
  ansible_become_password?:
    | {
        /**
         * A variable of the shell that runs converge.
         */
        env: string
      }
    | {
        /**
         * One line of text that is not empty.
         */
        file: string
      }
    | {
        /**
         * A program with its arguments, which prints the secret. converge runs it on this machine without a shell.
         *
         * @minItems 1
         */
        command: [Text, ...Text[]]
      }
    | string
  /**
   * One line of text that is not empty.
   */
  ansible_ssh_common_args?: string
  /**
   * One line of text that is not empty.
   */
  ansible_ssh_args?: string
  /**
   * One line of text that is not empty.
   */
  ansible_ssh_extra_args?: string
  /**
   * One line of text that is not empty.
   */
  ansible_ssh_host?: string
  /**
   * Another name of `ansible_port`.
   */
  ansible_ssh_port?: Port | string
  /**
   * One line of text that is not empty.
   */
  ansible_ssh_user?: string
  /**
   * One line of text that is not empty.
   */
  ansible_private_key_file?: string
  /**
   * Another name of `ansible_become_password`.
   */
  ansible_become_pass?:
    | {
        /**
         * A variable of the shell that runs converge.
         */
        env: string
      }
    | {
        /**
         * One line of text that is not empty.
         */
        file: string
      }
    | {
        /**
         * A program with its arguments, which prints the secret. converge runs it on this machine without a shell.
         *
         * @minItems 1
         */
        command: [Text, ...Text[]]
      }
    | string
  /**
   * One line of text that is not empty.
   */
  ansible_sudo_user?: string
  /**
   * Another name of `ansible_become_password`.
   */
  ansible_sudo_pass?:
    | {
        /**
         * A variable of the shell that runs converge.
         */
        env: string
      }
    | {
        /**
         * One line of text that is not empty.
         */
        file: string
      }
    | {
        /**
         * A program with its arguments, which prints the secret. converge runs it on this machine without a shell.
         *
         * @minItems 1
         */
        command: [Text, ...Text[]]
      }
    | string
  /**
   * Among groups of the same depth, the higher priority wins. Groups of equal priority merge in alphabetical order. As in Ansible, it counts only under a group's `vars:` in `hosts.yaml`.
   */
  ansible_group_priority?: number | string
} | null
/**
 * A TCP port.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "port".
 */
export type Port = number
/**
 * One line of text that is not empty.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "text".
 */
export type Text = string
/**
 * The model servers of a host, by name. Those of its groups and its own merge by name, and each service by key.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "services".
 */
export type Services = {
  [k: string]: Service
} | null
/**
 * One model server: one model on one port under one supervisor. After merging it needs `kind`, `port` and `model`, and outside a container `executable`.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "service".
 */
export type Service = {
  /**
   * `A`: a GGUF server in the style of `llama-server`. `B`: the `serve` program for large quantised models.
   */
  kind?: 'A' | 'B'
  /**
   * `running`: the server runs. `stopped`: the definition exists, and the server uses no RAM. `absent`: converge removes everything that it manages of the service. `unmanaged`: converge leaves the service alone, and only counts its port and memory.
   */
  state?: 'running' | 'stopped' | 'absent' | 'unmanaged'
  /**
   * A TCP port.
   */
  port?: number
  /**
   * The name of the model in the server's model list. Default: the service's name.
   */
  alias?: string
  /**
   * One line of text that is not empty.
   */
  host?: string
  /**
   * The supervisor. Default: `launchd` on macOS; on Linux `compose` for kind A and `systemd` for kind B.
   */
  manager?: 'launchd' | 'compose' | 'systemd'
  /**
   * The absolute path of the server program on the host. Required, except for kind A in a container.
   */
  executable?: string
  /**
   * One line of text that is not empty.
   */
  image?: string
  model?: Model
  /**
   * Kind A: the number of tokens (`--ctx-size`). Default: 65536 on macOS, 262144 on Linux.
   */
  ctx_size?: number
  /**
   * Kind A: the number of layers on the GPU. 0 keeps all on the CPU, which a giant mixture-of-experts model needs on macOS. Without it the server decides.
   */
  n_gpu_layers?: number
  /**
   * Kind A: the number of CPU threads. Without it the server decides.
   */
  threads?: number
  /**
   * Kind A: pass `--jinja`.
   */
  jinja?: boolean
  /**
   * Kind B: the number of tokens (`CTX`).
   */
  ctx?: number
  /**
   * Kind B: the RAM that the server uses at most. Required, because the server otherwise takes most of the free RAM.
   */
  ram_gb?: number
  /**
   * Kind B: the program that runs `executable`.
   */
  interpreter?: string
  /**
   * Kind B: the start of names: `SRV` gives `SRV_MODEL` and `SRV_API_KEY`.
   */
  env_prefix?: string
  /**
   * Kind B: pass `--no-browser`. Use `false` for a program that does not know the flag.
   */
  no_browser?: boolean
  /**
   * Kind B: host names that clients can use for it.
   */
  allowed_hosts?: Text[]
  /**
   * Managers launchd and systemd: the account that runs the server; under launchd only with `domain: system`. Default: the user that connects.
   */
  user?: string
  /**
   * Manager launchd: `gui` runs the server as an agent, while its account is logged in at the screen. `system` runs it as a daemon, from the start of the Mac, whether or not anybody logs in; that needs `ansible_become: true`.
   */
  domain?: 'gui' | 'system'
  /**
   * Manager systemd: the name of the unit, if it is not that of the service. `.service` may be left out.
   */
  unit?: string
  /**
   * Manager launchd: the label of the job, if it is not `com.<org>.<service>`. Its property list is `~/Library/LaunchAgents/<label>.plist`, with `domain: system` `/Library/LaunchDaemons/<label>.plist`.
   */
  label?: string
  /**
   * Manager compose: the absolute path of your own compose file that has the service, perhaps among others. It stays where it is, and converge touches only this service of it. Default: a file of converge's own.
   */
  file?: string
  /**
   * Manager compose: what the service is called in `file`, below `services:`. Default: the name of the service.
   */
  file_service?: string
  /**
   * Manager compose: the name of the compose project. Default: as compose derives it from the folder of `file`; without `file` from the name of the service.
   */
  project?: string
  /**
   * Manager compose: the name of the container. Default: with `file` as compose names it (`ai-llama-1`), unless the file says otherwise; without `file` the name of the service.
   */
  container?: string
  /**
   * Arguments after all others, one element for each flag and one for each value. Do not use them for a setting that has a field, nor for keys.
   */
  extra_args?: Word[]
  /**
   * Additional environment variables of the server. Do not use them for a setting that has a field, nor for keys.
   */
  env?: {
    [k: string]: Word
  }
  /**
   * Where converge finds the key that clients must send as a bearer token. Never write the key itself.
   */
  api_key?:
    | {
        /**
         * A variable of the shell that runs converge.
         */
        env: string
      }
    | {
        /**
         * One line of text that is not empty.
         */
        file: string
      }
    | {
        /**
         * A program with its arguments, which prints the secret. converge runs it on this machine without a shell.
         *
         * @minItems 1
         */
        command: [Text, ...Text[]]
      }
    | string
  /**
   * `file`: the server reads the key from a file with mode 0600. `inline`: the key stands in the definition, where every account on the host can read it.
   */
  key_delivery?: 'file' | 'inline'
  /**
   * The seconds that a started server has until it answers on `/health`. A server that exits fails at once. Default: 600 for kind A, 3600 for kind B.
   */
  ready_timeout?: number
  /**
   * The seconds that the smoke test waits for the answer to its request. The first one of a large model can take an hour. Default: 120 for kind A, 3600 for kind B.
   */
  completion_timeout?: number
  /**
   * What the smoke test asks the server: to complete a chat, to embed a text, or to rank two documents. `none`: nothing beyond its health, its alias and its key. Default for kind A: `rerank` with `--reranking`, `embedding` with `--embeddings`, else `chat`.
   */
  smoke?: 'chat' | 'embedding' | 'rerank' | 'none'
  /**
   * Manager launchd: `caffeinate` keeps the machine and its disks awake while the server runs. It ends with the server. If launchd restarts the server by itself, the next apply starts `caffeinate` again.
   */
  keep_awake?: boolean
  /**
   * The seconds that a server has to stop by itself. After that its supervisor kills it. If you do not set it, a server whose model or budget is larger than 60 GiB has one second for each GiB, in whole minutes. A large server may take minutes to give its memory back, and a Mac may lose the memory of one that is killed until the next boot.
   */
  stop_timeout?: number
} | null
/**
 * One line of text or a whole number. Put decimal numbers, `true` and `false` in quotes, so that they arrive as you write them.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "word".
 */
export type Word = string | number
/**
 * What `converge use` calls it.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "profile_name".
 */
export type ProfileName = string
/**
 * It becomes part of labels, unit names and container names.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "service_name".
 */
export type ServiceName = string
/**
 * Exactly one of `env`, `file` and `command`, or a `!vault` value of `ansible-vault encrypt_string`. Never write the secret itself, because inventories are read, copied and committed.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "secret".
 */
export type Secret =
  | {
      /**
       * A variable of the shell that runs converge.
       */
      env: string
    }
  | {
      /**
       * One line of text that is not empty.
       */
      file: string
    }
  | {
      /**
       * A program with its arguments, which prints the secret. converge runs it on this machine without a shell.
       *
       * @minItems 1
       */
      command: [Text, ...Text[]]
    }
  | string
/**
 * As Ansible reads it.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "ansible_truth".
 */
export type AnsibleTruth = boolean | string | number
/**
 * A TCP port, also in quotes.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "ansible_port".
 */
export type AnsiblePort = Port | string
/**
 * A time in seconds.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "seconds".
 */
export type Seconds = number
/**
 * A time in minutes; 0 means never.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "minutes".
 */
export type Minutes = number
/**
 * An absolute path on the host.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "absolute_path".
 */
export type AbsolutePath = string

/**
 * Groups and hosts, as in Ansible's YAML inventory. Every top-level key is a group. Files in `group_vars/` and `host_vars/` have a schema of their own: `converge schema group-vars`.
 */
export interface HostsFile {
  [k: string]: Group
}
/**
 * Settings of the whole fleet. They stand in the group `all` only: `group_vars/all.yaml`.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "fleet".
 */
export interface Fleet {
  /**
   * Part of every label: `com.<org>.<service>`. Set it before the first apply, because a change renames everything.
   */
  org?: string
  /**
   * The ports that services can use.
   */
  ports?: {
    /**
     * The lowest port of a service.
     */
    min?: number
    /**
     * Ports that no service can use. 9999 is the web proxy of a NAS vendor, 11434 the port of another model runner.
     */
    reserved?: Port[]
  }
  /**
   * RAM that stays free for the operating system and the container runtime.
   */
  headroom_gb?: number
  /**
   * On a machine with this much RAM or less, one Kind A server runs at a time.
   */
  small_ram_gb?: number
  /**
   * The application in which people use the models. The smoke test checks it last.
   */
  client?: {
    /**
     * A command on this machine. It makes the client reload and print its model list. `(offline)` stands after each model that the client cannot reach.
     *
     * @minItems 1
     */
    reload: [Text, ...Text[]]
  }
  /**
   * Files of clients on hosts of the inventory, which `converge apply` keeps as `converge endpoints` writes them.
   */
  endpoints?: EndpointsFile[]
  /**
   * Globs of variable names that belong to other tools. Any other unknown variable is an error, because it is probably a typing mistake.
   */
  ignore_vars?: Text[]
  /**
   * Accepted findings of `converge drift`. An entry hides its findings until it expires. converge names entries that are expired or hide nothing. `converge drift --write-ignore` proposes entries.
   */
  drift_ignore?: DriftIgnore[]
  /**
   * Named sets of states, which `converge use` switches between. A service is named as `coder@mini`, or `coder` if only one host has it.
   */
  profiles?: {
    [k: string]: Profile
  }
  /**
   * Where converge sends notifications. It reports a finding once when it appears or changes, and once when it is gone. `converge notify test` tries each entry.
   */
  notify?: Notify[]
}
/**
 * A file that lists where clients reach the models, without keys. It counts as a setting of its host.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "endpoints_file".
 */
export interface EndpointsFile {
  /**
   * One line of text that is not empty.
   */
  host: string
  /**
   * The file on the host. converge creates its folder, and replaces no file of others without an approval (`DEFINITION.FOREIGN`).
   */
  path: string
  /**
   * The client that reads it, as for `converge endpoints --format`.
   */
  format: 'json' | 'env' | 'litellm' | 'openwebui' | 'continue' | 'llama-swap'
  /**
   * A program with its arguments, which makes the client read the file again. The host runs it without a shell after each change. If it fails, the previous file is restored.
   *
   * @minItems 1
   */
  reload?: [Text, ...Text[]]
}
/**
 * Accepted findings, with the reason and the person who is responsible.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "drift_ignore".
 */
export interface DriftIgnore {
  /**
   * One line of text that is not empty.
   */
  host?: string
  /**
   * One line of text that is not empty.
   */
  service: string
  /**
   * One line of text that is not empty.
   */
  field: string
  /**
   * One line of text that is not empty.
   */
  reason: string
  /**
   * One line of text that is not empty.
   */
  owner: string
  /**
   * When it expires: a time with its time zone.
   */
  until?: string
}
/**
 * The state of each service that the profile is about.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "profile".
 */
export interface Profile {
  /**
   * The state of the service while the profile is used.
   */
  [k: string]: 'running' | 'stopped'
}
/**
 * Exactly one of `webhook`, `command` and `mail`, and the events that it reports.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "notify".
 */
export interface Notify {
  /**
   * Where converge finds the URL. The URL is a secret, because it is enough to post there. It must start with https, or with http on this machine.
   */
  webhook?:
    | {
        /**
         * A variable of the shell that runs converge.
         */
        env: string
      }
    | {
        /**
         * One line of text that is not empty.
         */
        file: string
      }
    | {
        /**
         * A program with its arguments, which prints the secret. converge runs it on this machine without a shell.
         *
         * @minItems 1
         */
        command: [Text, ...Text[]]
      }
    | string
  /**
   * The format that the webhook expects. `generic` is JSON: `converge schema notification`.
   */
  format?: 'generic' | 'slack' | 'discord' | 'ntfy'
  /**
   * Allow an http address on another machine. Everyone on the network path can then read the URL and the message.
   */
  insecure?: boolean
  /**
   * A program with its arguments. converge runs it on this machine without a shell. It reads JSON from stdin: `converge schema notification`. Its environment has only PATH, HOME and CONVERGE_RUN_ID.
   *
   * @minItems 1
   */
  command?: [Text, ...Text[]]
  /**
   * An e-mail address. converge sends through the `sendmail` of this machine.
   */
  mail?: string
  /**
   * `drift`, `pending`, `both` (a conflict) and `foreign`: findings of `converge drift`. `refused`: a plan refused an action. `failed`: an apply, a smoke test or a download failed. `fetched`: a model arrived. `unreachable`: a host did not answer. `gone`: a reported finding no longer exists.
   *
   * @minItems 1
   */
  on?: [
    'drift' | 'pending' | 'both' | 'foreign' | 'refused' | 'failed' | 'fetched' | 'unreachable' | 'gone',
    ...('drift' | 'pending' | 'both' | 'foreign' | 'refused' | 'failed' | 'fetched' | 'unreachable' | 'gone')[]
  ]
  /**
   * One line. docs/notifications.md lists the placeholders, such as `{{counts}}`.
   */
  title?: string
  /**
   * The text below the title, with the same placeholders.
   */
  body?: string
}
/**
 * The model that the server serves. A more specific `model` replaces a less specific one completely.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "model".
 */
export interface Model {
  /**
   * One line of text that is not empty.
   */
  path: string
  /**
   * Kind A: whether the model is a giant mixture of experts, which needs `n_gpu_layers: 0` on macOS. Default: read from the GGUF header.
   */
  giant_moe?: boolean
  /**
   * The repository of a model hub from which `converge fetch` downloads the model. `converge pin` sets its commit.
   */
  source?: {
    /**
     * The repository on the model hub: `<owner>/<name>`.
     */
    repo: string
    /**
     * Names or globs of the model's files in the repository. Default: all files. `include` is another name of this field.
     *
     * @minItems 1
     */
    files?: [Text, ...Text[]]
    /**
     * Another name of `files`.
     */
    include?: Text[]
    /**
     * A full commit (40 hexadecimal digits), a tag or a branch. A tag or branch can move; a commit cannot.
     */
    revision?: string
    /**
     * `hub`: the model hub. `fleet`: another host of the fleet that has the file and computed its digest. `auto`: such a host, else the hub. A copy from another host passes through this machine while `converge fetch` runs.
     */
    from?: 'auto' | 'hub' | 'fleet'
    /**
     * `http`: curl, or the wget of BusyBox. `hub`: the hub's own tool, `hf`, which must be on the host and cannot resume. `auto`: the first of these that the host has.
     */
    fetcher?: 'auto' | 'http' | 'hub'
    /**
     * The digest of each file, by its name in the repository. The hub must list the same digest. Default: the hub's digests at that commit.
     */
    sha256?: {
      /**
       * 64 hexadecimal digits.
       */
      [k: string]: string
    }
    /**
     * The address of the hub: Hugging Face, your own mirror, or another hub with the same API.
     */
    hub?: string
    /**
     * For a repository that is not public. converge sends it to the hub only, over https or to this machine.
     */
    token?:
      | {
          /**
           * A variable of the shell that runs converge.
           */
          env: string
        }
      | {
          /**
           * One line of text that is not empty.
           */
          file: string
        }
      | {
          /**
           * A program with its arguments, which prints the secret. converge runs it on this machine without a shell.
           *
           * @minItems 1
           */
          command: [Text, ...Text[]]
        }
      | string
  }
}
