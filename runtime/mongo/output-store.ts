import type { JsonObject } from '../../lib/json';
import type { OutputStore } from '../ports/output-store';
import type { Collections } from './collections';

/** Cached outputs in MongoDB, which removes expired ones. */
export function mongoOutputStore({ outputs }: Pick<Collections, 'outputs'>): OutputStore {
  return {
    async find(key, now) {
      const document = await outputs.findOne({ _id: key, until: { $gt: new Date(now) } });
      return document === null ? null : (JSON.parse(document.json) as JsonObject);
    },

    async keep(key, { tenantId, workflowId, output, until }) {
      const document = {
        tenant_id: tenantId,
        workflow_id: workflowId,
        json: JSON.stringify(output),
        until: new Date(until),
      };
      await outputs.replaceOne({ _id: key }, document, { upsert: true });
    },
  };
}
