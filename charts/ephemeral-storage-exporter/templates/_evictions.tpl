{{/* Where evictions outlive a restart of the container; empty where `config` sets `evictions.file`. */}}
{{- define "ephemeral-storage-exporter.evictionsFile" -}}
{{- if not (hasKey (get (default dict .Values.config) "evictions" | default dict) "file") -}}
/var/lib/ephemeral-storage-exporter/evictions.json
{{- end }}
{{- end }}

{{/* The claim that the pod of a Deployment mounts for it; empty without one. */}}
{{- define "ephemeral-storage-exporter.claimName" -}}
{{- if .Values.evictions.claim }}
{{- include "ephemeral-storage-exporter.fullname" . }}
{{- else }}
{{- dig "persistentVolumeClaim" "claimName" "" (default dict .Values.evictions.volume) }}
{{- end }}
{{- end }}

{{/* The volume for it, as YAML; empty where the StatefulSet has one for each pod. */}}
{{- define "ephemeral-storage-exporter.evictionsVolume" -}}
{{- if not (and .Values.evictions.claim (eq .Values.mode "sharded")) -}}
- name: evictions
  {{- if .Values.evictions.claim }}
  persistentVolumeClaim:
    claimName: {{ include "ephemeral-storage-exporter.claimName" . | quote }}
  {{- else if .Values.evictions.volume }}
  {{- toYaml .Values.evictions.volume | nindent 2 }}
  {{- else }}
  # Every user may write into an emptyDir: no fsGroup.
  emptyDir:
    # More than the exporter ever needs: 8 MiB for the file, and as much to write the next one.
    sizeLimit: 32Mi
  {{- end }}
{{- end }}
{{- end }}
