# The release builds with a digest: --build-arg NODE_IMAGE=node:26-slim@sha256:…
ARG NODE_IMAGE=node:26-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY scripts/build.mjs scripts/bundled-packages.mjs scripts/licences.mjs scripts/sbom.mjs scripts/
COPY src src
# Files of a checkout with a umask of 077 are copied as they are; the image's user reads them.
RUN npm run build -- --production && rm dist/*.map && chmod -R go+rX dist

FROM ${NODE_IMAGE}
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="ephemeral-storage-exporter" \
      org.opencontainers.image.description="Prometheus exporter for the ephemeral storage of Kubernetes workloads, pods and nodes" \
      org.opencontainers.image.source="https://github.com/ephemeral-storage-exporter/ephemeral-storage-exporter" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
WORKDIR /app
ENV NODE_ENV=production
# glibc keeps freed memory for each thread that has allocated: 3 MB more with its default of 8 arenas for each core.
ENV MALLOC_ARENA_MAX=2
COPY --chmod=644 LICENSE package.json ./
COPY --from=build /app/dist dist
# Writes nothing: run it with a read-only root filesystem.
USER 65532:65532
EXPOSE 9797
# New objects get 16 MiB instead of 64: 45 MB less with 100 nodes, and shorter pauses to collect them, for about the same CPU. V8 reads it
# before the program runs. https://nodejs.org/docs/latest-v26.x/api/cli.html#--max-semi-space-sizesize-in-mib
ENTRYPOINT ["node", "--max-semi-space-size=8", "/app/dist/cli.js"]
