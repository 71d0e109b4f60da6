import type { ServiceSchema } from 'moleculer';
import { auditModels } from '../../mixins/audit/model';
import { defineService } from '../../mixins/service';
import type { App } from '../app';
import { page } from './list';
import { anchorOf, verify } from './verify';

const DEFAULT_PAGE = 50;

const word = { type: 'string', min: 1, max: 256, optional: true } as const;
const whole = (min: number, max: number) =>
  ({ type: 'number', integer: true, min, max, convert: true, optional: true }) as const;

/** Reads the log that every service writes. Nothing here, or anywhere, changes an event or takes one away. */
export const auditService = (app: App): ServiceSchema => {
  const models = auditModels(app.db);

  return defineService(app, 'audit', {
    actions: {
      list: {
        access: 'admin',
        summary: 'Who did what, newest first',
        params: {
          limit: whole(1, 1_000),
          offset: whole(0, Number.MAX_SAFE_INTEGER),
          cursor: word,
          actor: word,
          action: word,
          target: word,
          from: word,
          to: word,
        },
        async handle({ params: { limit = DEFAULT_PAGE, offset = 0, ...asked }, tenantId }) {
          const { data, next } = await page(models.events, tenantId, { limit, offset, ...asked });
          return { data, limit, offset, next_cursor: next };
        },
      },
      verify: {
        access: 'admin',
        summary: 'Whether the log is what was written',
        params: { from_seq: whole(1, Number.MAX_SAFE_INTEGER), anchor: word },
        handle: ({ params: { from_seq = 1, anchor }, tenantId }) =>
          verify(
            { models, key: app.keys.audit, tenant: tenantId },
            from_seq,
            anchor === undefined ? null : anchorOf(anchor),
          ),
      },
    },
    async started() {
      await models.events.createIndexes();
    },
  });
};
