import type { IndexHit } from '../contract';
import { DocumentTable } from '../segment/documents';
import { LexicalRows } from '../segment/lexical';
import { maskOf, ownersOf, rangesOf, type RowRange } from '../segment/live';
import { unpackVectors } from '../segment/vectors';
import type { Arena, ArenaRows } from './arena';
import type { RowsKind, SegmentBytes, View } from './calls';

/** Rows that are alive, and the entries that they belong to. */
interface Living {
  readonly stamp: string;
  readonly dead: ReadonlySet<number>;
  readonly ranges: readonly RowRange[];
  /** One byte a row; null when all are alive. */
  readonly mask: Uint8Array | null;
}

/** A segment in the engine's memory. */
export class LoadedSegment {
  readonly table: DocumentTable;
  readonly #owners: Uint32Array;
  readonly #ns: Uint32Array;
  #living: Living | null = null;

  private constructor(
    table: Uint8Array<ArrayBuffer>,
    ns: Uint32Array,
    private readonly held:
      | { readonly kind: 'lexical'; readonly rows: LexicalRows }
      | { readonly kind: 'vectors'; readonly rows: ArenaRows },
  ) {
    this.table = new DocumentTable(table);
    this.#ns = ns;
    this.#owners = ownersOf(this.table, ns.length);
  }

  static open({ table, data }: SegmentBytes, kind: RowsKind, arena: Arena): LoadedSegment {
    if (kind.kind === 'lexical') {
      const rows = new LexicalRows(data);
      return new LoadedSegment(table, rows.ns, { kind: 'lexical', rows });
    }
    // Only the numbers are kept; they must not keep the vectors' bytes with them.
    const { ns, vectors } = unpackVectors(data);
    return new LoadedSegment(table, ns.slice(), { kind: 'vectors', rows: arena.put(vectors, kind.dimension) });
  }

  close(arena: Arena): void {
    if (this.held.kind === 'vectors') arena.remove(this.held.rows);
  }

  get rows(): number {
    return this.#ns.length;
  }

  get words(): LexicalRows {
    if (this.held.kind === 'lexical') return this.held.rows;
    throw new Error('The segment holds vectors');
  }

  get vectors(): ArenaRows {
    if (this.held.kind === 'vectors') return this.held.rows;
    throw new Error('The segment holds words');
  }

  n(row: number): number {
    return this.#ns[row] as number;
  }

  /** What is alive by a manifest. */
  living(seq: number, { stamp, tombstones }: View): Living {
    if (this.#living?.stamp === stamp) return this.#living;
    const dead = this.table.dead(seq, tombstones);
    const ranges =
      dead.size === 0
        ? [{ from: 0, to: this.rows }]
        : rangesOf(
            this.table,
            ordinals(this.table.size).filter((at) => !dead.has(at)),
          );
    this.#living = { stamp, dead, ranges, mask: dead.size === 0 ? null : maskOf(ranges, this.rows) };
    return this.#living;
  }

  /** The living rows of some documents. */
  rangesOf(documents: ReadonlySet<string>, { dead }: Living): RowRange[] {
    const entries =
      documents.size < this.table.size
        ? [...documents].flatMap((id) => [...this.table.find(id)])
        : ordinals(this.table.size).filter((at) => documents.has(this.table.id(at)));
    return rangesOf(
      this.table,
      entries.filter((at) => !dead.has(at)),
    );
  }

  hit({ row, score }: { row: number; score: number }): IndexHit {
    const owner = this.#owners[row] as number;
    return { documentId: this.table.id(owner), revision: this.table.revision(owner), n: this.n(row), score };
  }
}

const ordinals = (size: number): number[] => Array.from({ length: size }, (_, at) => at);
