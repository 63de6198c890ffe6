{{- define "ephemeral-storage-exporter.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimAll "-" }}
{{- end }}

{{/* At most 52 characters, so that the names of pods and their label controller-revision-hash fit into 63. */}}
{{- define "ephemeral-storage-exporter.fullname" -}}
{{- $name := include "ephemeral-storage-exporter.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimAll "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 52 | trimAll "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimAll "-" }}
{{- end }}
{{- end }}

{{- define "ephemeral-storage-exporter.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride }}
{{- end }}

{{/* Of cluster-wide objects. The colon is in no other name: releases in two namespaces cannot collide. */}}
{{- define "ephemeral-storage-exporter.clusterName" -}}
{{- printf "%s:%s" (include "ephemeral-storage-exporter.namespace" .) (include "ephemeral-storage-exporter.fullname" .) }}
{{- end }}

{{- define "ephemeral-storage-exporter.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "ephemeral-storage-exporter.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{/* A first part with "." or ":" is the host of a registry, as for Docker. */}}
{{- define "ephemeral-storage-exporter.image" -}}
{{- $repository := .Values.image.repository }}
{{- with (default dict .Values.global).imageRegistry }}
{{- $repository = printf "%s/%s" . (regexReplaceAll "^(?:[^/]*[.:][^/]*|localhost)/" $repository "") }}
{{- end }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* A list, as YAML; empty without any. Other charts write global secrets as names or as objects. */}}
{{- define "ephemeral-storage-exporter.pullSecrets" -}}
{{- $secrets := list }}
{{- range concat (default list (default dict .Values.global).imagePullSecrets) (default list .Values.imagePullSecrets) }}
{{- $secrets = append $secrets (kindIs "string" . | ternary (dict "name" .) .) }}
{{- end }}
{{- with $secrets | uniq }}
{{- toYaml . }}
{{- end }}
{{- end }}

{{- define "ephemeral-storage-exporter.selectorLabels" -}}
app.kubernetes.io/name: {{ include "ephemeral-storage-exporter.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{/*
metadata of an object. Keys: root; name, default the common one; labels and annotations, further ones; isClusterWide;
namespace. Labels that select cannot be replaced.
*/}}
{{- define "ephemeral-storage-exporter.metadata" -}}
{{- $root := .root }}
{{- $own := dict
  "helm.sh/chart" (printf "%s-%s" $root.Chart.Name $root.Chart.Version | replace "+" "_")
  "app.kubernetes.io/version" $root.Chart.AppVersion
  "app.kubernetes.io/managed-by" $root.Release.Service
  "app.kubernetes.io/part-of" "ephemeral-storage-exporter"
}}
{{- $selector := include "ephemeral-storage-exporter.selectorLabels" $root | fromYaml -}}
metadata:
  name: {{ default (include "ephemeral-storage-exporter.fullname" $root) .name | quote }}
  {{- if not .isClusterWide }}
  namespace: {{ default (include "ephemeral-storage-exporter.namespace" $root) .namespace | quote }}
  {{- end }}
  labels:
    {{- mustMergeOverwrite (dict) (default (dict) $root.Values.commonLabels) (default (dict) .labels) $own $selector | toYaml | nindent 4 }}
  {{- with mustMergeOverwrite (dict) (default (dict) $root.Values.commonAnnotations) (default (dict) .annotations) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/* Whether there is a Role for readers; empty if not. Nobody knows the names of a DaemonSet's pods beforehand. */}}
{{- define "ephemeral-storage-exporter.hasReader" -}}
{{- if and .Values.rbac.create .Values.reader.create (ne .Values.mode "node-local") -}}
true
{{- end }}
{{- end }}

{{/* A cluster role with its binding to the exporter. Keys: root, suffix, rules. */}}
{{- define "ephemeral-storage-exporter.grant" -}}
{{- $name := printf "%s%s" (include "ephemeral-storage-exporter.clusterName" .root) (default "" .suffix) }}
{{- $subject := dict
  "kind" "ServiceAccount"
  "name" (include "ephemeral-storage-exporter.serviceAccountName" .root)
  "namespace" (include "ephemeral-storage-exporter.namespace" .root)
-}}
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
{{ include "ephemeral-storage-exporter.metadata" (dict "root" .root "name" $name "isClusterWide" true) }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
{{ include "ephemeral-storage-exporter.metadata" (dict "root" .root "name" $name "isClusterWide" true) }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: {{ $name | quote }}
subjects:
  - {{- toYaml (default $subject .subject) | nindent 4 }}
{{- end }}
