{{/* Of a duration of Prometheus, such as `1m30s`. */}}
{{- define "ephemeral-storage-exporter.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000 "y" 31536000000 }}
{{- $sum := 0 }}
{{- range regexFindAll "[0-9]+[a-z]+" . -1 }}
{{- $sum = add $sum (mul (regexFind "[0-9]+" .) (get $units (regexFind "[a-z]+" .))) }}
{{- end }}
{{- $sum }}
{{- end }}

{{/* An endpoint of a monitor. Keys: root, values (of the monitor), dropped (labels of targets), token (its file). */}}
{{- define "ephemeral-storage-exporter.endpoint" -}}
{{- $secretName := .root.Values.tls.secretName -}}
port: metrics
path: /metrics
interval: {{ .values.interval }}
scrapeTimeout: {{ .values.scrapeTimeout }}
# Keep the namespace, pod, container and node of the measured pods.
honorLabels: true
{{- if $secretName }}
scheme: https
{{- $serverName := printf "%s.%s.svc" (include "ephemeral-storage-exporter.fullname" .root) .root.Release.Namespace }}
{{- $ca := dict "secret" (dict "name" $secretName "key" "ca.crt") }}
tlsConfig:
  {{- toYaml (default (dict "ca" $ca "serverName" $serverName) .values.tlsConfig) | nindent 2 }}
{{- end }}
{{- if .values.authorization }}
authorization:
  {{- toYaml .values.authorization | nindent 2 }}
{{- else if and .token .root.Values.kubernetesAuthorization.enabled }}
bearerTokenFile: {{ .token }}
{{- end }}
relabelings:
  # Series of nodes have no namespace or pod and would get those of the exporter.
  - action: labeldrop
    regex: {{ .dropped }}
  # The pod of the exporter. In a StatefulSet its name is stable, so a restart creates no new series.
  - action: replace
    sourceLabels: [__meta_kubernetes_pod_name]
    targetLabel: instance
  {{- with .values.relabelings }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .values.metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
