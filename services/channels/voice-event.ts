import { sha256 } from '../../lib/crypto';
import { isObject, type JsonObject } from '../../lib/json';

/** An event of a voice room, as far as it is ours to understand. */
export interface VoiceEvent {
  /** The provider's id of the event; it stays the same when the event is sent again. */
  readonly id: string;
  readonly event: string;
  readonly room: string | null;
  /** Whose workflow the room was made for; null for rooms that no step of ours has made. */
  readonly target: { readonly tenantId: string; readonly workflowId: string } | null;
  readonly body: JsonObject;
}

/** The event in a body whose signature is right; null when it is none. Pure. */
export function readVoiceEvent(raw: Buffer): VoiceEvent | null {
  const body = parsed(raw.toString('utf8'));
  if (!isObject(body) || typeof body.event !== 'string' || body.event === '') return null;
  const room = isObject(body.room) ? body.room : {};
  return {
    id: typeof body.id === 'string' && body.id !== '' ? body.id : sha256(raw),
    event: body.event,
    room: typeof room.name === 'string' ? room.name : null,
    target: targetOf(room.metadata),
    // What came out of the JSON parser is JSON.
    body: body as JsonObject,
  };
}

/** A room's metadata is free text; a room of this service has JSON that names tenant and workflow. */
function targetOf(metadata: unknown): VoiceEvent['target'] {
  const content = typeof metadata === 'string' ? parsed(metadata) : null;
  if (!isObject(content)) return null;
  const { tenant_id: tenantId, workflow_id: workflowId } = content;
  return typeof tenantId === 'string' && typeof workflowId === 'string' ? { tenantId, workflowId } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Text that is no JSON is no event, and no metadata of ours.
    return null;
  }
}
