import type { Collection } from 'mongodb';
import type { App } from '../app';

interface FeedbackDocument {
  _id: string;
  tenant_id: string;
  execution_id: string;
  step_id: string;
  rating: string;
  comment: string | null;
  by: string | null;
  at: Date;
}

type Rating = Pick<FeedbackDocument, 'rating' | 'comment'>;

/** The built-in store looks up at most 400 keys by index. */
const LOOKUP_BATCH = 400;

/** User ratings of steps: one rating per step of a run; a later one replaces it. */
export class Feedback {
  readonly #collection: Collection<FeedbackDocument>;

  constructor(private readonly app: App) {
    this.#collection = app.db.collection('step_feedback') as unknown as Collection<FeedbackDocument>;
  }

  async createIndexes(): Promise<void> {
    await this.#collection.createIndex({ tenant_id: 1, execution_id: 1 }, { name: 'by_execution' });
  }

  async put(tenantId: string, executionId: string, stepId: string, rating: Rating, by: string | null): Promise<void> {
    const document = {
      tenant_id: tenantId,
      execution_id: executionId,
      step_id: stepId,
      ...rating,
      by,
      at: new Date(this.app.clock.now()),
    };
    await this.#collection.updateOne({ _id: `${executionId}:${stepId}` }, { $set: document }, { upsert: true });
  }

  async of(tenantId: string, executionId: string): Promise<Map<string, Rating>> {
    const documents = await this.#collection.find({ tenant_id: tenantId, execution_id: executionId }).toArray();
    return new Map(documents.map(({ step_id, rating, comment }) => [step_id, { rating, comment }]));
  }

  /** Those of the runs with a step that has this rating. */
  async rated(
    tenantId: string,
    executionIds: readonly string[],
    { rating, step_id }: { readonly rating: string; readonly step_id?: string | undefined },
  ): Promise<string[]> {
    const found = new Set<string>();
    for (let at = 0; at < executionIds.length; at += LOOKUP_BATCH) {
      const execution_id = { $in: executionIds.slice(at, at + LOOKUP_BATCH) };
      const step = step_id === undefined ? {} : { step_id };
      const query = { tenant_id: tenantId, execution_id, rating, ...step };
      for await (const each of this.#collection.find(query)) found.add(each.execution_id);
    }
    return [...found];
  }

  async remove(tenantId: string, executionIds: readonly string[]): Promise<void> {
    await this.#collection.deleteMany({ tenant_id: tenantId, execution_id: { $in: [...executionIds] } });
  }
}
