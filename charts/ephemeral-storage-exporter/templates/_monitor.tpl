{{/* Of a duration of Prometheus, such as `1m30s`. */}}
{{- define "ephemeral-storage-exporter.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000 "y" 31536000000 }}
{{- $sum := 0 }}
{{- range regexFindAll "[0-9]+[a-z]+" . -1 }}
{{- $sum = add $sum (mul (regexFind "[0-9]+" .) (get $units (regexFind "[a-z]+" .))) }}
{{- end }}
{{- $sum }}
{{- end }}

{{/* An endpoint of a monitor, with the names of the operator of VictoriaMetrics where they differ. */}}
{{- define "ephemeral-storage-exporter.endpoint" -}}
{{- $values := .Values.serviceMonitor }}
{{- $names := eq $values.kind "VMServiceScrape" | ternary
  (dict "proxyUrl" "proxyURL" "relabelings" "relabelConfigs" "metricRelabelings" "metricRelabelConfigs")
  dict
-}}
port: metrics
path: /metrics
{{- range $field := list "interval" "scrapeTimeout" "honorLabels" "proxyUrl" "authorization" "metricRelabelings" }}
{{- with get $values $field }}
{{ get $names $field | default $field }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- with .Values.tls.secretName }}
scheme: https
{{- $fullname := include "ephemeral-storage-exporter.fullname" $ }}
{{- $serverName := printf "%s.%s.svc" $fullname (include "ephemeral-storage-exporter.namespace" $) }}
{{- $ca := dict "secret" (dict "name" . "key" "ca.crt") }}
tlsConfig:
  {{- toYaml (default (dict "ca" $ca "serverName" $serverName) $values.tlsConfig) | nindent 2 }}
{{- end }}
{{- if and .Values.kubernetesAuthorization.enabled (not $values.authorization) (ne $values.kind "PodMonitor") }}
bearerTokenFile: /var/run/secrets/kubernetes.io/serviceaccount/token
{{- end }}
{{ get $names "relabelings" | default "relabelings" }}:
  # Series of nodes have no namespace or pod and would get those of the exporter.
  - action: labeldrop
    regex: namespace|pod|container|node|service|endpoint
  # The pod of the exporter. In a StatefulSet its name is stable, so a restart creates no new series.
  - action: replace
    sourceLabels: [__meta_kubernetes_pod_name]
    targetLabel: instance
  {{- with $values.relabelings }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
