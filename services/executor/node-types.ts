import { ReadThrough } from '../../lib/read-through';
import { CACHE_MAX_AGE_MS } from '../../mixins/invalidation';
import type { ServiceContext } from '../../mixins/service';
import { nodes } from '../../nodes';
import { importedAction, ImportedTypes } from '../../nodes/connectors/imported';
import type { NodeType } from '../../nodes/contract';
import { CUSTOM_PREFIX, type CustomNode, CustomTypes } from '../../nodes/custom';
import type { App } from '../app';
import type { ResultOf } from '../../contracts/catalogue';
import { retryUntilAvailable } from './retry-until-available';

const CACHED = 5_000;
/** Prefix of the patterns of custom nodes in `cache.stale`; `<tenant>:<type>` follows. */
const STALE = 'workflows.custom_node:';
/** Prefix of the patterns of imported connectors. */
const STALE_IMPORTED = 'connectors.imported:';

type Imported = ResultOf<'connectors.imported_action'>;

/** The node types for steps on this host: built-in ones, and the current ones of the run's tenant. */
export class HostNodeTypes {
  readonly #custom: ReadThrough<CustomNode | null>;
  readonly #types = new CustomTypes();
  readonly #imported: ReadThrough<Imported>;
  readonly #importedTypes = new ImportedTypes();

  constructor(private readonly app: App) {
    const options = { max: CACHED, ttlMs: CACHE_MAX_AGE_MS, now: () => app.clock.now() };
    this.#custom = new ReadThrough(options);
    this.#imported = new ReadThrough(options);
  }

  /** Finds a type by name or alias; synchronous for a built-in one. @throws DependencyUnavailable, as a rejection */
  find(context: ServiceContext, type: string, tenantId: string): NodeType | undefined | Promise<NodeType | undefined> {
    if (importedAction(type) !== null) return this.#findImported(context, type, tenantId);
    if (type.startsWith(CUSTOM_PREFIX)) return this.#findCustom(context, type, tenantId);
    return nodes.types.get(type) ?? nodes.types.get(nodes.aliases.get(type) ?? '');
  }

  /** Drops the cached values that match a pattern. */
  forget(pattern: string): void {
    if (pattern.startsWith(STALE)) this.#custom.delete(pattern.slice(STALE.length));
    if (pattern.startsWith(STALE_IMPORTED)) this.#imported.delete(pattern.slice(STALE_IMPORTED.length));
  }

  async #findImported({ call, log }: ServiceContext, type: string, tenantId: string): Promise<NodeType | undefined> {
    const ask = (): Promise<Imported> => call('connectors.imported_action', { type }, { asServiceOf: tenantId });
    const found = await this.#imported.get(`${tenantId}:${type}`, () =>
      retryUntilAvailable(this.app, log, `The definition of ${type}`, ask),
    );
    return found === null ? undefined : this.#importedTypes.of(found.head, found.action);
  }

  async #findCustom({ call, log }: ServiceContext, type: string, tenantId: string): Promise<NodeType | undefined> {
    const ask = (): Promise<CustomNode | null> => call('workflows.custom_node', { type }, { asServiceOf: tenantId });
    const node = await this.#custom.get(`${tenantId}:${type}`, () =>
      retryUntilAvailable(this.app, log, `The definition of ${type}`, ask),
    );
    return node === null ? undefined : this.#types.of(node).type;
  }
}
