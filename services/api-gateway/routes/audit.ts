import { json, type Route } from './route';

export const auditRoutes: readonly Route[] = [
  json('GET /api/v1/audit', 'audit.list', {
    access: 'admin',
    paged: true,
    summary: 'Who did what, newest first; by `actor`, `action`, `target`, `from`, `to`',
    csv: {
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
  }),
  json('GET /api/v1/audit/verify', 'audit.verify', {
    access: 'admin',
    summary: 'Whether the log is what was written, from `from_seq` on, and passes through an `anchor`',
  }),
];
