import { ReadThrough } from '../../lib/read-through';
import type { ServiceContext } from '../../mixins/service';
import { nodes } from '../../nodes';
import { importedAction, ImportedTypes } from '../../nodes/connectors/imported';
import type { NodeType } from '../../nodes/contract';
import { CUSTOM_PREFIX, type CustomNode, CustomTypes } from '../../nodes/custom';
import type { App } from '../app';
import type { ResultOf } from '../catalogue';
import { answered } from './answered';

/** How long an old definition is used when the hint about a change was lost. */
const TTL_MS = 1_000;
const CACHED = 5_000;
/** What the keys of custom nodes begin with, in `cache.stale`; then `<tenant>:<type>`. */
const STALE = 'workflows.custom_node:';
/** The same of actions of imported connectors. */
const STALE_IMPORTED = 'connectors.imported:';

type Imported = ResultOf<'connectors.imported_action'>;

/** The node types that steps on this host may be of: built-in ones, and those of the run's tenant as they are now. */
export class HostNodeTypes {
  readonly #custom: ReadThrough<CustomNode | null>;
  readonly #types = new CustomTypes();
  readonly #imported: ReadThrough<Imported>;
  readonly #importedTypes = new ImportedTypes();

  constructor(private readonly app: App) {
    const options = { max: CACHED, ttlMs: TTL_MS, now: () => app.clock.now() };
    this.#custom = new ReadThrough(options);
    this.#imported = new ReadThrough(options);
  }

  /** By name or alias, at once where it is built in. @throws StepAside, by the promise */
  find(context: ServiceContext, type: string, tenantId: string): NodeType | undefined | Promise<NodeType | undefined> {
    if (importedAction(type) !== null) return this.#findImported(context, type, tenantId);
    if (type.startsWith(CUSTOM_PREFIX)) return this.#findCustom(context, type, tenantId);
    return nodes.types.get(type) ?? nodes.types.get(nodes.aliases.get(type) ?? '');
  }

  /** Drops what a pattern says is stale. */
  forget(pattern: string): void {
    if (pattern.startsWith(STALE)) this.#custom.delete(pattern.slice(STALE.length));
    if (pattern.startsWith(STALE_IMPORTED)) this.#imported.delete(pattern.slice(STALE_IMPORTED.length));
  }

  async #findImported({ call, log }: ServiceContext, type: string, tenantId: string): Promise<NodeType | undefined> {
    const ask = (): Promise<Imported> => call('connectors.imported_action', { type }, { asServiceOf: tenantId });
    const found = await this.#imported.get(`${tenantId}:${type}`, () =>
      answered(this.app, log, `The definition of ${type}`, ask),
    );
    return found === null ? undefined : this.#importedTypes.of(found.head, found.action);
  }

  async #findCustom({ call, log }: ServiceContext, type: string, tenantId: string): Promise<NodeType | undefined> {
    const ask = (): Promise<CustomNode | null> => call('workflows.custom_node', { type }, { asServiceOf: tenantId });
    const node = await this.#custom.get(`${tenantId}:${type}`, () =>
      answered(this.app, log, `The definition of ${type}`, ask),
    );
    return node === null ? undefined : this.#types.of(node).type;
  }
}
