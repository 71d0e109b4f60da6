import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../lib/json';
import { asOutput, done } from '../../outcome';
import type { ActionContext, CodeAction, ConnectorRequest } from '../contract';
import { urlPath } from '../http/path';
import { CALENDAR, DETAILS, END, EVENT, MEETING, SEND_UPDATES, START, SUMMARY } from './fields';
import { eventOf } from './event';

/** The event id derives from the step, so that a repetition conflicts; then the existing event is the result. */
export const createEvent: CodeAction = {
  kind: 'code',
  name: 'create_event',
  title: 'Create an event',
  description: 'Creates an event, once per step, and invites guests.',
  effect: 'write',
  repeatable: true,
  input: {
    calendar_id: CALENDAR,
    summary: SUMMARY,
    start: START,
    end: END,
    ...DETAILS,
    meeting: MEETING,
    send_updates: SEND_UPDATES,
  },
  required: ['summary', 'start', 'end'],
  output: EVENT,
  async run(input, _account, ctx, send) {
    const id = idOf(ctx);
    const sent = await send(insertion(input, id));
    if (sent.kind === 'response') return done(asOutput(sent.response.body));
    if (sent.outcome.error.code !== 'duplicate') return sent.outcome;
    const there = await send({ method: 'GET', url: urlPath`/calendars/${calendarOf(input)}/events/${id}` });
    return there.kind === 'response' ? done(asOutput(there.response.body)) : there.outcome;
  },
};

export const calendarOf = (input: JsonObject) => input.calendar_id ?? 'primary';

/** Ids are written in the digits of base32hex, which those of hexadecimal numbers are among. */
const idOf = ({ idempotencyKey }: ActionContext): string =>
  createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40);

function insertion(input: JsonObject, id: string): ConnectorRequest {
  const meeting = input.meeting === true;
  const conferenceData = { createRequest: { requestId: id, conferenceSolutionKey: { type: 'hangoutsMeet' } } };
  return {
    method: 'POST',
    url: urlPath`/calendars/${calendarOf(input)}/events`,
    query: {
      sendUpdates: typeof input.send_updates === 'string' ? input.send_updates : 'none',
      conferenceDataVersion: meeting ? 1 : undefined,
    },
    body: { id, ...eventOf(input), ...(meeting ? { conferenceData } : {}) },
  };
}
