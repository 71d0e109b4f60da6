# syntax=docker/dockerfile:1
# The image that every role runs: SERVICES says which. Built in one stage, run from another without compiler or sources.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY console/package.json ./console/
RUN --mount=type=cache,target=/root/.npm npm ci --no-audit --no-fund
COPY . .
RUN npm run build
# The compiler and a Node for npm scripts are dependencies for `npm start` in a checkout; an image has both. Other optional
# dependencies are the binaries of this platform, so --omit=optional would leave out too much.
RUN npm prune --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/@swc node_modules/esbuild node_modules/@esbuild node_modules/node-linux-* node_modules/.bin

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    METRICS_PORT=9464 \
    DATA_DIR=/data
# Threads share two heaps of glibc instead of having one each: 20 MiB less resident memory.
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
RUN install -d -o node -g node -m 0700 /data
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/console/dist ./console/dist
# What the service reads: the page of the API, and what models are told of the language.
COPY --from=build /app/docs ./docs
USER node
EXPOSE 3000 9464
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.METRICS_PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# The young generation of Node 20. The default of Node 24 is twice as large, and so is what it adds to resident memory.
CMD ["node", "--max-semi-space-size=16", "dist/start/main.js"]
