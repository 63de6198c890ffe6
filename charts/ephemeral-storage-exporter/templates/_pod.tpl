{{/* The pod template of all modes, without indentation. Keys: root, mode (the values of the mode). */}}
{{- define "ephemeral-storage-exporter.pod" -}}
{{- $root := .root }}
{{- $values := $root.Values }}
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
  automountServiceAccountToken: true
  # Kubernetes would create variables for the Service that have the same prefix as those of the settings.
  enableServiceLinks: false
  # After SIGTERM, running scrapes have 10 s to finish.
  terminationGracePeriodSeconds: 20
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .mode.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .mode.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .mode.spread }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- toYaml $selector | nindent 10 }}
  {{- end }}
  {{- with $values.podSecurityContext }}
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
        {{- with .mode.shards }}
        - --total-shards={{ . }}
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
          containerPort: 9797
      # The exporter listens within two seconds; a minute allows for a node with little free CPU.
      startupProbe:
        {{- include "ephemeral-storage-exporter.probe" (dict "root" $root "path" "/livez") | nindent 8 }}
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 30
      # Sends no requests: neither a kubelet nor the API server can cause a restart.
      livenessProbe:
        {{- include "ephemeral-storage-exporter.probe" (dict "root" $root "path" "/livez") | nindent 8 }}
        periodSeconds: 20
        timeoutSeconds: 5
      # 200 once nodes and pods have been listed.
      readinessProbe:
        {{- include "ephemeral-storage-exporter.probe" (dict "root" $root "path" "/readyz") | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 5
      {{- with .mode.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
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
  volumes:
    {{- if $values.agent.enabled }}
    - name: host-cgroup
      hostPath: { path: /sys/fs/cgroup, type: Directory }
    {{- end }}
    - name: config
      configMap:
        name: {{ $fullname | quote }}
    {{- if include "ephemeral-storage-exporter.evictionsFile" $root }}
    # Every user may write into an emptyDir: no fsGroup.
    - name: evictions
      emptyDir:
        # More than the exporter ever needs: 8 MiB for the file, and as much to write the next one.
        sizeLimit: 32Mi
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

{{- define "ephemeral-storage-exporter.probe" -}}
httpGet:
  path: {{ .path }}
  port: metrics
  {{- if .root.Values.tls.secretName }}
  scheme: HTTPS
  {{- end }}
{{- end }}

{{/* Where evictions outlive a restart of the container; empty where `config` sets `evictions.file`. */}}
{{- define "ephemeral-storage-exporter.evictionsFile" -}}
{{- if not (hasKey (get (default dict .Values.config) "evictions" | default dict) "file") -}}
/var/lib/ephemeral-storage-exporter/evictions.json
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
