/**
 * Go template for `docker inspect`: one line per value, a tag first, text as JSON so that no value can break a line. `j` lines are
 * arguments and pass the redactor; the lines `entrypoint` and `command` before them distinguish the two. `.Id` is the name in the
 * engine's own JSON: using it makes every version of the client use that JSON instead of its own structures.
 */
export const inspectTemplate = `id {{.Id}}
name {{json .Name}}
image {{json .Config.Image}}
made {{.Image}}
state {{.State.Status}} {{json .State.ExitCode}} {{.State.OOMKilled}} {{json .State.Pid}} {{json .RestartCount}} {{.State.StartedAt}}
health {{with index .State "Health"}}{{.Status}}{{else}}none{{end}}
restart {{json .HostConfig.RestartPolicy.Name}}
grace {{json (index .Config "StopTimeout")}}
entrypoint
{{range .Config.Entrypoint}}j {{json .}}
{{end}}command
{{range .Config.Cmd}}j {{json .}}
{{end}}{{range .Mounts}}{{if eq .Type "bind"}}bind {{.RW}} {{json .Source}} {{json .Destination}}
{{end}}{{end}}{{range $port, $bindings := .HostConfig.PortBindings}}{{range $bindings}}port {{$port}} {{json .HostPort}}
{{end}}{{end}}{{range $name, $value := .Config.Labels}}l {{json $name}} {{json $value}}
{{end}}`
