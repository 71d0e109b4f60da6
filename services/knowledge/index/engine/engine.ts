import { Arena } from './arena';
import { rank, tallyOf } from './bm25';
import { build } from './build';
import type { Answered, Asked, CallName, View } from './calls';
import { LoadedSegment } from './loaded';
import { merge } from './merge';
import { nearest } from './nearest';
import type { Part } from './parts';
import type { Slices } from './slices';

type Handlers = { readonly [K in CallName]: (asked: Asked<K>, slices: Slices) => Answered<K> | Promise<Answered<K>> };

/** Segments in memory, and all that is computed with them. Knows no database and no thread. */
export class Engine {
  readonly #segments = new Map<string, LoadedSegment>();
  readonly #handlers: Handlers;

  private constructor(arena: Arena) {
    this.#handlers = {
      load: ({ id, rows, ...bytes }) => {
        if (!this.#segments.has(id)) this.#segments.set(id, LoadedSegment.open(bytes, rows, arena));
      },
      drop: ({ id }) => {
        this.#segments.get(id)?.close(arena);
        this.#segments.delete(id);
      },
      tally: ({ view, terms }, slices) => tallyOf(this.#parts(view), terms, slices),
      rank: (asked, slices) => rank(this.#parts(asked.view), asked, slices),
      nearest: (asked, slices) => nearest(this.#parts(asked.view), asked, arena, slices),
      build,
      merge: ({ view, rows }, slices) => merge(this.#parts(view), rows, arena, slices),
    };
  }

  static async create(): Promise<Engine> {
    return new Engine(await Arena.create());
  }

  async answer<K extends CallName>(call: K, asked: Asked<K>, slices: Slices): Promise<Answered<K>> {
    return this.#handlers[call](asked, slices);
  }

  #parts(view: View): Part[] {
    return view.segments.map(({ id, seq }) => {
      const segment = this.#segments.get(id);
      if (segment === undefined) throw new Error(`The segment ${id} is not loaded`);
      return { segment, living: segment.living(seq, view) };
    });
  }
}
