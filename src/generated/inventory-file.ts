// Generated from schemas/ by `npm run generate`; not to be edited.

/**
 * Letters, digits, `_`, `-` and `.`; host patterns split on everything else.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "group_name".
 */
export type GroupName = string
/**
 * Hosts and groups that belong together, and the variables they share. An empty body is an empty group; under `children` an empty body refers to a group defined elsewhere.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "group".
 */
export type Group = {
  /**
   * Host names, each followed by a colon and, where wanted, variables of that host. Ranges stand for many: `mac-[01:50]`, `node-[a:c]`, `n[0:10:2]`; `name:2222` sets the SSH port.
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
 * The shape of `group_vars/<group>.yaml`, `host_vars/<host>.yaml`, a group's `vars:` and what stands below a host's name. Precedence as in Ansible: all < parent group < child group < host; at the same level files override `hosts.yaml`. A value replaces a less specific one, except `services`, which merges by service name, and each service by key. Variables of other tools are allowed by name in `fleet.ignore_vars`.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "vars".
 */
export type Vars = {
  fleet?: Fleet
  /**
   * The operating system; must agree with what is found. It decides the default manager and context size. Without it converge takes the defaults of `linux`.
   */
  platform?: 'linux' | 'macos'
  /**
   * What the machine is meant to have; checked against what is found. Without it only what is found counts.
   */
  ram_gb?: number
  /**
   * Where definitions, key files, records and the lock are kept. Default: `/etc/converge` for root, else `~/.config/converge`.
   */
  converge_dir?: string
  /**
   * macOS: after how many minutes without use what goes to sleep, by the names of `pmset`; 0 means never. Set for every power source, which takes `ansible_become: true`. What is not named here, or no longer, stays as it is on the machine.
   */
  sleep?: {
    /**
     * A disk that sleeps makes the next answer wait for it, for a model is read from it whenever memory is short.
     */
    disksleep?: number
    /**
     * A machine that sleeps answers nobody. `keep_awake` of a service keeps it awake only while that server runs.
     */
    sleep?: number
    /**
     * No server minds a dark screen.
     */
    displaysleep?: number
  }
  /**
   * macOS: newsyslog is given a rule for the logs of services under launchd, which nobody bounds otherwise (LOG.UNBOUNDED): `/etc/newsyslog.d/converge.<org>.conf`, ten megabytes and five old files each. Root alone may write it, which takes `ansible_become: true`. Rules and files of somebody else are left alone; without the setting what was written stays.
   */
  rotate_logs?: boolean
  services?: Services
  /**
   * One line of text that is not empty.
   */
  ansible_host?: string
  /**
   * Default: what `~/.ssh/config` says, else 22.
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
   * `ssh`: built in, one connection per host. `openssh`: the user's own `ssh` program, for certificates and hardware keys. `local`: this machine. Ansible's other names for these are understood: `smart`, `ansible.builtin.ssh`, `ansible.builtin.local`.
   */
  ansible_connection?: 'ssh' | 'openssh' | 'local' | 'smart' | 'ansible.builtin.ssh' | 'ansible.builtin.local'
  /**
   * Run what is done on the host through `sudo`. Ansible's words for true and false are understood: `yes`, `on`, `"true"`, 1.
   */
  ansible_become?: boolean | string | number
  /**
   * One line of text that is not empty.
   */
  ansible_become_user?: string
  /**
   * Where the password for `sudo` is found; never the password itself.
   */
  ansible_become_password?:
    | {
        /**
         * Of the shell that runs converge.
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
         * Program and arguments, run on this machine without a shell; it prints the secret.
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
   * `ansible_port`.
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
   * `ansible_become_password`.
   */
  ansible_become_pass?:
    | {
        /**
         * Of the shell that runs converge.
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
         * Program and arguments, run on this machine without a shell; it prints the secret.
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
   * `ansible_become_password`.
   */
  ansible_sudo_pass?:
    | {
        /**
         * Of the shell that runs converge.
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
         * Program and arguments, run on this machine without a shell; it prints the secret.
         *
         * @minItems 1
         */
        command: [Text, ...Text[]]
      }
    | string
  /**
   * Among groups of the same depth the higher priority wins; equal ones merge in alphabetical order. Only under a group's `vars:` in `hosts.yaml`, as in Ansible.
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
 * The model servers of a host by name. They merge over groups and host: by name, and each by key.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "services".
 */
export type Services = {
  [k: string]: Service
} | null
/**
 * One model server: one model on one port under one supervisor. Merged over groups and host it needs `kind`, `port` and `model`; outside a container also `executable`.
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
   * `running`; `stopped`: the definition is in place and no RAM is used; `absent`: nothing that converge manages is left.
   */
  state?: 'running' | 'stopped' | 'absent'
  /**
   * A TCP port.
   */
  port?: number
  /**
   * Name of the model in the server's model list. Default: the service's name.
   */
  alias?: string
  /**
   * One line of text that is not empty.
   */
  host?: string
  /**
   * What supervises it. Default: `launchd` on macOS; on Linux `compose` for kind A and `systemd` for kind B.
   */
  manager?: 'launchd' | 'compose' | 'systemd'
  /**
   * Absolute path of the server on the host. Needed everywhere but for kind A in a container.
   */
  executable?: string
  /**
   * One line of text that is not empty.
   */
  image?: string
  model?: Model
  /**
   * Kind A: tokens (`--ctx-size`). Default: 65536 on macOS, 262144 on Linux.
   */
  ctx_size?: number
  /**
   * Kind A: how many layers go to the GPU; 0 keeps everything on the CPU, which a giant mixture-of-experts model needs on macOS. Without it the server decides.
   */
  n_gpu_layers?: number
  /**
   * Kind A: CPU threads. Without it the server decides.
   */
  threads?: number
  /**
   * Kind A: whether `--jinja` is passed.
   */
  jinja?: boolean
  /**
   * Kind B: tokens (`CTX`).
   */
  ctx?: number
  /**
   * Kind B: what this server may use; mandatory there, because without it the server takes most of what is free.
   */
  ram_gb?: number
  /**
   * Kind B: what runs `executable`.
   */
  interpreter?: string
  /**
   * Kind B: `SRV` makes `SRV_MODEL` and `SRV_API_KEY`.
   */
  env_prefix?: string
  /**
   * Kind B: whether `--no-browser` is passed; switch it off for programs that do not know the flag.
   */
  no_browser?: boolean
  /**
   * Kind B: names by which clients may address it.
   */
  allowed_hosts?: Text[]
  /**
   * Manager systemd: who runs the server. Default: the connecting user.
   */
  user?: string
  /**
   * Passed after everything else, one element per flag and one per value. Not for what has a field of its own, and never for keys.
   */
  extra_args?: Word[]
  /**
   * Variables the server gets on top. Not for what has a field of its own, and never for keys.
   */
  env?: {
    [k: string]: Word
  }
  /**
   * Where the bearer key is found that clients must present; never the key itself.
   */
  api_key?:
    | {
        /**
         * Of the shell that runs converge.
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
         * Program and arguments, run on this machine without a shell; it prints the secret.
         *
         * @minItems 1
         */
        command: [Text, ...Text[]]
      }
    | string
  /**
   * `file`: a file with mode 0600 that the server reads. `inline`: in the definition, where every account on the host can see it.
   */
  key_delivery?: 'file' | 'inline'
  /**
   * How long a started server may take until it answers on `/health`; one that dies fails at once. Default: 600 for kind A, 3600 for kind B.
   */
  ready_timeout?: number
  /**
   * How long the smoke test's chat completion may take; the first one of a large model can take an hour. Default: 120 for kind A, 3600 for kind B.
   */
  completion_timeout?: number
  /**
   * Manager launchd: while the server runs, `caffeinate` keeps the machine and its disks from falling asleep for want of use. It ends with the server; for one that launchd started again by itself, the next apply sees to it.
   */
  keep_awake?: boolean
  /**
   * How long a server gets to stop by itself before its supervisor kills it.
   */
  stop_timeout?: number
} | null
/**
 * One line of text or a whole number. Numbers with a point and `true` or `false` need quotes, so that they arrive exactly as written.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "word".
 */
export type Word = string | number
/**
 * Becomes part of labels, unit and container names.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "service_name".
 */
export type ServiceName = string
/**
 * Exactly one of `env`, `file` and `command`, or a value that `ansible-vault encrypt_string` made (`!vault`). Never the secret itself: inventories are read, copied and committed.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "secret".
 */
export type Secret =
  | {
      /**
       * Of the shell that runs converge.
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
       * Program and arguments, run on this machine without a shell; it prints the secret.
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
 * A TCP port; Ansible takes it in quotes as well.
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
 * Groups and hosts in the shape of Ansible's YAML inventory. Every top-level key is a group. Files in `group_vars/` and `host_vars/` have the shape of `#/$defs/vars`; point editors at `inventory-vars.schema.json` there.
 */
export interface HostsFile {
  [k: string]: Group
}
/**
 * Only in the group `all`: `group_vars/all.yaml`.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "fleet".
 */
export interface Fleet {
  /**
   * Labels are `com.<org>.<service>`. Set it before the first apply: changing it renames everything.
   */
  org?: string
  /**
   * Which ports services may use.
   */
  ports?: {
    /**
     * No service below it.
     */
    min?: number
    /**
     * Never used: 9999 is a NAS vendor's web proxy, 11434 another local model runner.
     */
    reserved?: Port[]
  }
  /**
   * RAM that stays free for the operating system and the container runtime.
   */
  headroom_gb?: number
  /**
   * At or below this much RAM one Kind A server runs at a time.
   */
  small_ram_gb?: number
  /**
   * The application people use the models with; named, it is checked at the end of the smoke test.
   */
  client?: {
    /**
     * Run on this machine; makes the client read its model list again and prints it, with `(offline)` behind what it cannot reach.
     *
     * @minItems 1
     */
    reload: [Text, ...Text[]]
  }
  /**
   * Globs of variable names that converge leaves to other tools. Everything else it does not know is an error, so that no typing mistake passes.
   */
  ignore_vars?: Text[]
  /**
   * What `converge drift` finds and somebody answers for: it is set aside until the entry runs out. Entries that have run out, or hide nothing, are told. `converge drift --write-ignore` proposes some.
   */
  drift_ignore?: DriftIgnore[]
  /**
   * Where a message goes when what a run finds is not what was told last: once when it appears or changes, once when it is gone. `converge notify test` tries each.
   */
  notify?: Notify[]
}
/**
 * Findings that are known and right, and who says so.
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
   * The instant after which it no longer holds, with its time zone.
   */
  until?: string
}
/**
 * Exactly one of `webhook`, `command` and `mail`, and what it is told of.
 *
 * This interface was referenced by `HostsFile`'s JSON-Schema
 * via the `definition` "notify".
 */
export interface Notify {
  /**
   * Where its URL is found; who has the URL can write there, so it is a secret. It is posted to over https, or over http to this machine.
   */
  webhook?:
    | {
        /**
         * Of the shell that runs converge.
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
         * Program and arguments, run on this machine without a shell; it prints the secret.
         *
         * @minItems 1
         */
        command: [Text, ...Text[]]
      }
    | string
  /**
   * What the webhook takes. `generic` is the JSON of schemas/notification.schema.json.
   */
  format?: 'generic' | 'slack' | 'discord' | 'ntfy'
  /**
   * Whether the webhook may be at an http address of another machine, where everyone on the way can read URL and message.
   */
  insecure?: boolean
  /**
   * Program and arguments, run on this machine without a shell; it gets the JSON of schemas/notification.schema.json on its standard input, and of the environment PATH, HOME and CONVERGE_RUN_ID alone.
   *
   * @minItems 1
   */
  command?: [Text, ...Text[]]
  /**
   * An address, written to through the `sendmail` of this machine.
   */
  mail?: string
  /**
   * `drift`, `pending`, `both` and `foreign` as `converge drift` finds them; a conflict (`both`) is drift and pending at once. `refused` by a plan, `failed` in an apply, a smoke test or a download, `fetched`: a model, `unreachable`: a host. `gone`: something that was told is no longer so.
   *
   * @minItems 1
   */
  on?: [
    'drift' | 'pending' | 'both' | 'foreign' | 'refused' | 'failed' | 'fetched' | 'unreachable' | 'gone',
    ...('drift' | 'pending' | 'both' | 'foreign' | 'refused' | 'failed' | 'fetched' | 'unreachable' | 'gone')[]
  ]
  /**
   * One line; `{{…}}` stands for what docs/notifications.md lists, and nothing else is a template.
   */
  title?: string
  /**
   * The text below the title, with the same placeholders.
   */
  body?: string
}
/**
 * What is served. A more specific `model` replaces the whole of a less specific one.
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
   * Kind A: on macOS such a model must keep `n_gpu_layers: 0`. Without it the GGUF header is asked.
   */
  giant_moe?: boolean
  /**
   * The repository of a model hub that the model comes from. `converge pin` writes down at which commit.
   */
  source?: {
    /**
     * `<owner>/<name>` on the model hub.
     */
    repo: string
    /**
     * Names or globs of the model's files in the repository; without it, all of them. `include` is another name for it.
     *
     * @minItems 1
     */
    files?: [Text, ...Text[]]
    /**
     * As `files`.
     */
    include?: Text[]
    /**
     * The full commit (40 hexadecimal digits), a tag or a branch. Of a branch or tag the hub says what it is today; a commit stays what it is.
     */
    revision?: string
    /**
     * `hub`: the model hub. `fleet`: another host of the fleet that has the file, with a digest that was taken there. `auto`: such a host, else the hub. What comes from another host comes through this machine, as long as `converge fetch` is followed.
     */
    from?: 'auto' | 'hub' | 'fleet'
    /**
     * `http`: curl, or the wget of BusyBox. `hub`: the hub's own tool, `hf`, which has to be on the host and resumes nothing. `auto`: the first of these that is there.
     */
    fetcher?: 'auto' | 'http' | 'hub'
    /**
     * By name in the repository. What the hub lists has to be the same; without it, the hub's own digests at that commit count.
     */
    sha256?: {
      /**
       * 64 hexadecimal digits.
       */
      [k: string]: string
    }
    /**
     * Where the hub is: a mirror of your own, or another hub that answers as Hugging Face does.
     */
    hub?: string
    /**
     * For repositories that the hub does not show to everyone. Sent to the hub alone, and over https or to this machine only.
     */
    token?:
      | {
          /**
           * Of the shell that runs converge.
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
           * Program and arguments, run on this machine without a shell; it prints the secret.
           *
           * @minItems 1
           */
          command: [Text, ...Text[]]
        }
      | string
  }
}
