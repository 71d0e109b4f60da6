import type { Import } from './imports';

/** Folders and files that make up the product. */
export const PRODUCT = [
  'lib',
  'dsl',
  'nodes',
  'runtime',
  'contracts',
  'mixins',
  'services',
  'embedded',
  'start',
  'cli',
  'bench',
  'generate',
  'clients',
  'console/src',
  'moleculer.config.ts',
] as const;

/** Folders that a folder may import. A folder stands for all of its files; `types` are for type-only imports. */
interface Law {
  readonly imports: readonly string[];
  readonly types?: readonly RegExp[];
}

export const LAWS: Readonly<Record<string, Law>> = {
  lib: { imports: [] },
  dsl: { imports: ['lib'] },
  'nodes/contract': { imports: ['lib', 'dsl'] },
  nodes: { imports: ['lib', 'dsl'] },
  'runtime/core': { imports: ['lib', 'dsl', 'nodes/contract'] },
  'runtime/ports': { imports: ['lib', 'runtime/core'] },
  'runtime/execution': { imports: ['lib', 'dsl', 'nodes/contract', 'runtime/core', 'runtime/ports'] },
  'runtime/worker': { imports: ['lib', 'dsl', 'nodes/contract', 'runtime/core', 'runtime/ports', 'runtime/execution'] },
  'runtime/mongo': { imports: ['lib', 'runtime/core', 'runtime/ports'] },
  contracts: { imports: ['lib', 'nodes/contract'], types: [/^(dsl|nodes)\//] },
  mixins: { imports: ['lib', 'dsl', 'contracts'], types: [/^services\/app$/] },
  services: { imports: ['lib', 'dsl', 'nodes', 'runtime', 'contracts', 'mixins'] },
  embedded: { imports: ['lib'] },
  start: { imports: ['lib', 'contracts', 'mixins', 'services', 'embedded'] },
  'moleculer.config': { imports: ['start'] },
  // Loaded for each command: without services, to start fast.
  cli: { imports: ['lib', 'dsl/suggest', 'start/version'] },
  bench: { imports: ['lib', 'contracts', 'dsl', 'runtime', 'services/knowledge', 'embedded', 'start'] },
  clients: { imports: [] },
  // The editor reads expressions and triggers as the language does; the preview of a branding has the colours of the pages.
  console: {
    imports: [
      'clients',
      'dsl/expression',
      'dsl/interpolation',
      'dsl/validation/keywords',
      'dsl/validation/trigger-types',
      'lib/brand-colors',
    ],
  },
  generate: { imports: ['lib', 'dsl', 'nodes', 'contracts', 'services', 'start'] },
};

/** Packages that only some folders may import. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  moleculer: /^(services|mixins|start|lib\/bus)\//,
  'moleculer-web': /^services\/api-gateway\//,
  'node:sqlite': /^lib\/sqlite$/,
  '@fastify/busboy': /^(?:services\/api-gateway\/http\/multipart|lib\/http-body\/multipart-body)$/,
  mongoose:
    /^(services|mixins|start|lib\/bus)\/|^lib\/(database|tenant|nonce-store|master-key-record|rotation-progress)$/,
  nats: /^lib\/bus\//,
  ioredis: /^lib\/redis\//,
  '@qdrant/js-client-rest': /^services\/knowledge\/vectors\/qdrant\//,
  unpdf: /^lib\/documents\//,
  stripe: /^services\/billing\/(?:provider|signature)$/,
  '@ai-sdk/openai': /^lib\/llm\//,
  '@ai-sdk/anthropic': /^lib\/llm\//,
  '@ai-sdk/google': /^lib\/llm\//,
  '@ai-sdk/openai-compatible': /^lib\/llm\//,
  '@ai-sdk/provider': /^lib\/llm\//,
  '@modelcontextprotocol/client': /^nodes\/ai\//,
};

/** Why the import breaks a rule of the layers; null when it does not. Paths without extension. */
export function layerFault(file: string, { target, isPackage, typeOnly }: Import): string | null {
  const from = file.replace(/\.tsx?$/, '');
  if (isPackage) {
    const known = PACKAGES[target];
    return known === undefined || known.test(from) ? null : `${file} must not know the package ${target}`;
  }
  if (target.startsWith('..')) return `${file} reaches outside of the project: ${target}`;
  const room = roomOf(from);
  const law = LAWS[room];
  if (law === undefined) return `${file} stands in no known room`;
  const inside = roomOf(target) === room || (room === 'nodes' && roomOf(target) === 'nodes/contract');
  const allowed =
    (inside && !crossesServices(from, target)) ||
    law.imports.some((place) => target === place || target.startsWith(`${place}/`)) ||
    (typeOnly && (law.types ?? []).some((pattern) => pattern.test(target)));
  return allowed ? null : `${file} must not import ${target}`;
}

function roomOf(path: string): string {
  if (path === 'nodes/contract' || path.startsWith('nodes/contract/')) return 'nodes/contract';
  const [room, level] = path.split('/') as [string, ...string[]];
  return room === 'runtime' ? `runtime/${level}` : room;
}

/** Services call each other through the broker, by the contracts in `contracts`. */
function crossesServices(from: string, target: string): boolean {
  const [room, service, file] = target.split('/');
  if (room !== 'services' || file === undefined) return false;
  return from.split('/')[1] !== service;
}
