{{/* The pod template of all modes, without indentation. */}}
{{- define "ephemeral-storage-exporter.pod" -}}
{{- $root := . }}
{{- $values := .Values }}
{{- $fullname := include "ephemeral-storage-exporter.fullname" $root }}
{{- $selector := include "ephemeral-storage-exporter.selectorLabels" $root | fromYaml }}
{{- $partOf := dict "app.kubernetes.io/part-of" "ephemeral-storage-exporter" -}}
metadata:
  labels:
    {{- mustMergeOverwrite (dict) (default (dict) $values.commonLabels) (default (dict) $values.podLabels) $partOf $selector | toYaml | nindent 4 }}
  {{- with mustMergeOverwrite (dict) (default (dict) $values.commonAnnotations) (default (dict) $values.podAnnotations) }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "ephemeral-storage-exporter.serviceAccountName" $root | quote }}
  automountServiceAccountToken: {{ $values.automountServiceAccountToken }}
  # Kubernetes would create variables for the Service that have the same prefix as those of the settings.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  {{- with include "ephemeral-storage-exporter.pullSecrets" $root }}
  imagePullSecrets:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with $values.dnsPolicy | default ($values.hostNetwork | ternary "ClusterFirstWithHostNet" "") }}
  dnsPolicy: {{ . | quote }}
  {{- end }}
  {{- range $field := list "priorityClassName" "nodeSelector" "hostNetwork" "dnsConfig" "initContainers" }}
  {{- with get $values $field }}
  {{ $field }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- range $field := list "tolerations" "affinity" }}
  {{- with include "ephemeral-storage-exporter.chosen" (dict "root" $root "value" $field) }}
  {{ $field }}:
    {{- . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- with include "ephemeral-storage-exporter.chosen" (dict "root" $root "value" "topologySpreadConstraints") | fromYamlArray }}
  topologySpreadConstraints:
    {{- range . }}
    - {{- merge . (dict "labelSelector" (dict "matchLabels" $selector)) | toYaml | nindent 6 }}
    {{- end }}
  {{- end }}
  {{- $security := default dict $values.podSecurityContext }}
  {{- if and $security.runAsGroup (or $values.evictions.claim (include "ephemeral-storage-exporter.claimName" $root)) }}
  # The user of the pod may write into the claim.
  {{- $security = merge (dict) $security (dict "fsGroup" $security.runAsGroup "fsGroupChangePolicy" "OnRootMismatch") }}
  {{- end }}
  {{- with $security }}
  securityContext:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: exporter
      image: {{ include "ephemeral-storage-exporter.image" $root | quote }}
      {{- with $values.image.pullPolicy }}
      imagePullPolicy: {{ . }}
      {{- end }}
      args:
        - serve
        - --config.file=/etc/ephemeral-storage-exporter/config.yaml
        {{- if eq $values.mode "sharded" }}
        - --total-shards={{ $values.shards }}
        {{- end }}
        {{- if ne (int $values.service.port) 9797 }}
        - --web.listen-address=:{{ $values.service.port }}
        {{- end }}
        {{- with $values.extraArgs }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with include "ephemeral-storage-exporter.env" $root }}
      env:
        {{- . | nindent 8 }}
      {{- end }}
      ports:
        - name: metrics
          containerPort: {{ $values.service.port }}
      {{- range $probe, $path := dict "startupProbe" "/livez" "livenessProbe" "/livez" "readinessProbe" "/readyz" }}
      {{- $get := dict "path" $path "port" "metrics" }}
      {{- if $values.tls.secretName }}
      {{- $_ := set $get "scheme" "HTTPS" }}
      {{- end }}
      {{- $given := get $values $probe | default dict }}
      {{- $handler := or (hasKey $given "tcpSocket") (hasKey $given "exec") (hasKey $given "grpc") | ternary dict (dict "httpGet" $get) }}
      {{ $probe }}:
        {{- mustMergeOverwrite $handler $given | toYaml | nindent 8 }}
      {{- end }}
      resources:
        {{- $needs := include "ephemeral-storage-exporter.needs" $root | fromYaml }}
        {{- mustMergeOverwrite $needs.resources (default dict $values.resources) | toYaml | nindent 8 }}
      {{- with $values.securityContext }}
      securityContext:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        {{- if $values.agent.enabled }}
        - name: host-cgroup
          mountPath: /host/sys/fs/cgroup
          readOnly: true
        {{- end }}
        - name: config
          # The folder, not the file by subPath, which would never be updated.
          mountPath: /etc/ephemeral-storage-exporter
          readOnly: true
        {{- if include "ephemeral-storage-exporter.evictionsFile" $root }}
        - name: evictions
          mountPath: /var/lib/ephemeral-storage-exporter
        {{- end }}
        {{- if $values.tls.secretName }}
        - name: tls
          mountPath: /etc/ephemeral-storage-exporter-tls
          readOnly: true
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- if $values.agent.enabled }}
    - name: host-cgroup
      hostPath: { path: /sys/fs/cgroup, type: Directory }
    {{- end }}
    - name: config
      configMap:
        name: {{ $fullname | quote }}
    {{- if include "ephemeral-storage-exporter.evictionsFile" $root }}
    {{- include "ephemeral-storage-exporter.evictionsVolume" $root | nindent 4 }}
    {{- end }}
    {{- with $values.tls.secretName }}
    - name: tls
      secret:
        secretName: {{ . | quote }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* Settings of values, as environment variables: they override the file, where `config` cannot undo them. */}}
{{- define "ephemeral-storage-exporter.env" -}}
{{- $values := .Values }}
{{- $env := list }}
{{- with include "ephemeral-storage-exporter.evictionsFile" . }}
{{- $env = append $env (dict "name" "EPHEMERAL_STORAGE_EXPORTER_EVICTIONS_FILE" "value" .) }}
{{- end }}
{{- if eq $values.mode "node-local" }}
{{- $field := dict "fieldRef" (dict "fieldPath" "spec.nodeName") }}
{{- $env = append $env (dict "name" "EPHEMERAL_STORAGE_EXPORTER_CLUSTER_NODE_LOCAL" "value" "true") }}
{{- $env = append $env (dict "name" "NODE_NAME" "valueFrom" $field) }}
{{- end }}
{{- if $values.agent.enabled }}
{{- $env = append $env (dict "name" "EPHEMERAL_STORAGE_EXPORTER_AGENT_ENABLED" "value" "true") }}
{{- end }}
{{- if $values.nodeProxy.enabled }}
{{- $env = append $env (dict "name" "EPHEMERAL_STORAGE_EXPORTER_KUBELET_ACCESS" "value" "proxy") }}
{{- end }}
{{- if $values.nodesConfigz.enabled }}
{{- $env = append $env (dict "name" "EPHEMERAL_STORAGE_EXPORTER_KUBELET_READ_CONFIG" "value" "true") }}
{{- end }}
{{- if $values.kubernetesAuthorization.enabled }}
{{- $env = append $env (dict "name" "EPHEMERAL_STORAGE_EXPORTER_WEB_AUTHORIZATION" "value" "kubernetes") }}
{{- end }}
{{- if $values.tls.secretName }}
{{- $file := "/etc/ephemeral-storage-exporter/web.yaml" }}
{{- $env = append $env (dict "name" "EPHEMERAL_STORAGE_EXPORTER_WEB_CONFIG_FILE" "value" $file) }}
{{- end }}
{{- with concat $env (default list $values.extraEnv) }}
{{- toYaml . }}
{{- end }}
{{- end }}
