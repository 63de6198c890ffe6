FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY scripts/build.mjs scripts/
COPY src src
RUN npm run build -- --production && npm prune --omit=dev --ignore-scripts

FROM node:26-slim
WORKDIR /app
ENV NODE_ENV=production
# glibc keeps freed memory for each thread that has allocated: 3 MB more with its default of 8 arenas for each core. A smaller young
# generation (--max-semi-space-size) saves nothing once scrapes come.
ENV MALLOC_ARENA_MAX=2
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# Writes nothing: run it with a read-only root filesystem.
USER 65532:65532
EXPOSE 9797
ENTRYPOINT ["node", "/app/dist/cli.js"]
