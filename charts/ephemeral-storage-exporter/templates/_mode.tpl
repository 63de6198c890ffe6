{{/* What the mode needs where no value says otherwise, as YAML. */}}
{{- define "ephemeral-storage-exporter.needs" -}}
{{- if eq .Values.mode "node-local" }}
resources:
  requests: { cpu: 10m, memory: 128Mi, ephemeral-storage: 64Mi }
  limits: { memory: 256Mi, ephemeral-storage: 128Mi }
tolerations:
  - operator: Exists
affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            - { key: type, operator: NotIn, values: [virtual-kubelet] }
            - { key: liqo.io/type, operator: NotIn, values: [virtual-node] }
            - { key: type, operator: NotIn, values: [kwok] }
            - { key: eks.amazonaws.com/compute-type, operator: NotIn, values: [fargate] }
updateStrategy:
  type: RollingUpdate
  rollingUpdate: { maxUnavailable: 10% }
{{- else }}
resources:
  requests: { cpu: 100m, memory: 256Mi, ephemeral-storage: 64Mi }
  limits: { memory: 1Gi, ephemeral-storage: 128Mi }
{{- if eq .Values.mode "sharded" }}
topologySpreadConstraints:
  - { maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway }
podDisruptionBudget: { maxUnavailable: 1 }
{{- else if include "ephemeral-storage-exporter.claimName" . }}
# A claim may be for one pod at a time, and the next exporter reads what the last one wrote.
updateStrategy: { type: Recreate }
{{- else }}
# The new pod is ready, and has listed all pods, before the old one stops: there is no gap.
updateStrategy:
  type: RollingUpdate
  rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
{{- end }}
{{- end }}
{{- end }}

{{/* A value, else what the mode needs, as YAML; empty without either. Keys: root, value (its name). */}}
{{- define "ephemeral-storage-exporter.chosen" -}}
{{- $chosen := index .root.Values .value }}
{{- if kindIs "invalid" $chosen }}
{{- $chosen = get (include "ephemeral-storage-exporter.needs" .root | fromYaml) .value }}
{{- end }}
{{- with $chosen }}
{{- toYaml . }}
{{- end }}
{{- end }}
