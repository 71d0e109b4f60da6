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

  async remove(tenantId: string, executionIds: readonly string[]): Promise<void> {
    await this.#collection.deleteMany({ tenant_id: tenantId, execution_id: { $in: [...executionIds] } });
  }
}
