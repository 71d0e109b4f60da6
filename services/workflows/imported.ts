import { createCache } from '../../lib/cache';
import { mapSliced } from '../../lib/time-slices';
import type { NodeType } from '../../nodes/contract';
import { type ImportedConnector, ImportedTypes } from '../../nodes/connectors/imported';

/** Definitions that are kept, so that the service that has them need not send them again. */
const KEPT = 20;
/** Connectors that one document may mention. */
const MAX_MENTIONED = 100;

/** A definition that is newer than the known one; null where that is the newest. Undefined: there is none of the name. */
type Imported = (tenantId: string, name: string, known: number | null) => Promise<ImportedConnector | null | undefined>;

/** The step types of imported connectors, as far as a document mentions them. */
export class ImportedSteps {
  readonly #kept = createCache<ImportedConnector>({ max: KEPT });
  readonly #types = new ImportedTypes();

  constructor(private readonly read: Imported) {}

  /** Of what the text of a document mentions. Mentioning one too many does no harm. */
  async of(tenantId: string, text: string): Promise<NodeType[]> {
    const found = await Promise.all(mentioned(text).map((name) => this.#find(tenantId, name)));
    return this.typesOf(
      tenantId,
      found.filter((connector) => connector !== null),
    );
  }

  typesOf(tenantId: string, connectors: readonly ImportedConnector[]): Promise<NodeType[]> {
    const actions = connectors.flatMap((connector) => connector.actions.map((action) => ({ connector, action })));
    return mapSliced(actions, tenantId, ({ connector, action }) => this.#types.of(connector, action));
  }

  async #find(tenantId: string, name: string): Promise<ImportedConnector | null> {
    const key = `${tenantId}:${name}`;
    const known = this.#kept.get(key) ?? null;
    const newer = await this.read(tenantId, name, known?.revision ?? null);
    if (newer === undefined) this.#kept.delete(key);
    else if (newer !== null) this.#kept.set(key, newer);
    return newer === undefined ? null : (newer ?? known);
  }
}

function mentioned(text: string): string[] {
  const names = text.matchAll(/"(custom-[a-z][a-z0-9-]{0,49})\.[a-z]/g);
  return [...new Set([...names].map(([, name = '']) => name))].slice(0, MAX_MENTIONED);
}
