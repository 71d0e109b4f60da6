import type { ActionName, ResultOf } from '../../../contracts/catalogue';
import type { StartedView } from '../../../contracts/executions/views';
import { tagOf } from '../../../lib/entity-tags';
import { type Answer, REPLAYED } from '../http/answer';
import type { ListFile } from './route';

/** The answer of a start whose idempotency key the service itself has looked at. */
const started = <T extends { replayed?: true }>({ replayed, ...rest }: T): Partial<Answer> => ({
  ...(replayed === true ? { headers: REPLAYED } : {}),
  body: rest,
});

/** 201 for what is new, 200 for what took the place of another. */
const put = <T extends { created: boolean }>({ created, ...rest }: T): Partial<Answer> => ({
  status: created ? 201 : 200,
  body: rest,
});

/** The entity tag of a document, for `If-Match`. */
const tagged = (view: { dsl_hash: string }): Partial<Answer> => ({ headers: { ETag: tagOf(view.dsl_hash) } });

/** Answers that are not simply the status of the contract and the result. */
export const ANSWERS: { readonly [A in ActionName]?: (result: ResultOf<A>) => Partial<Answer> } = {
  'channels.redeliver': started,
  'executions.retry': started<StartedView>,
  'workflows.trigger': started<StartedView>,
  'secrets.put': put,
  'skills.install': put,
  'workflows.put_variable': put,
  // What the base had already is answered with 200.
  'knowledge.add_document': (document) => ({ ...(document.duplicate === true ? { status: 200 } : {}), body: document }),
  'knowledge.commit_upload': ({ duplicate }) => (duplicate === true ? { status: 200 } : {}),
  'workflows.get': tagged,
  'workflows.update': tagged,
  'workflows.draft': (draft) => (draft === null ? { body: null } : tagged(draft)),
  'workflows.put_draft': tagged,
  'workflows.unpin': () => ({ body: undefined }),
  'workflows.export': ({ filename, file }) => ({
    headers: { 'Content-Disposition': `attachment; filename="${filename.replace(/[^\w.-]/g, '_')}"` },
    body: file,
  }),
};

/** Lists that can also be had as one file. */
export const LIST_FILES: { readonly [A in ActionName]?: ListFile<A> } = {
  'evaluations.rows': { kind: 'jsonl', name: 'rows' },
  'audit.list': {
    kind: 'csv',
    name: 'audit',
    columns: [
      'seq',
      'at',
      'action',
      'actor_type',
      'actor_id',
      'actor_email',
      'actor_ip',
      'target_type',
      'target_id',
      'target_name',
      'before',
      'after',
      'outcome',
      'refers_to',
      'request_id',
      'id',
      'prev_hash',
      'hash',
    ],
    row: ({ actor, target, ...event }) => ({
      ...event,
      actor_type: actor.type,
      actor_id: actor.id,
      actor_email: actor.email,
      actor_ip: actor.ip,
      target_type: target.type,
      target_id: target.id,
      target_name: target.name,
    }),
  },
};
