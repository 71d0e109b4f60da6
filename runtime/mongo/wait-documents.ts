import type { Json } from '../../lib/json';
import type { FormPage, PauseRequest, Waiting } from '../core/model';

export interface WaitingDocument {
  step_id: string | null;
  kind: Waiting['kind'];
  name: string | null;
  since: Date;
  until: Date | null;
  message?: string;
  approvers?: string[];
  form?: string;
  page?: FormPage;
}

/** A request to pause or resume inside the document of its run. */
export interface PauseDocument {
  kind: PauseRequest['kind'];
  rev: number;
  at: Date;
  by: string | null;
  reason: string | null;
}

const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

export function waitingToDocument(waiting: Waiting): WaitingDocument {
  return {
    step_id: waiting.step_id,
    kind: waiting.kind,
    name: waiting.name,
    since: new Date(waiting.since),
    until: date(waiting.until),
    ...(waiting.message === undefined ? {} : { message: waiting.message }),
    ...(waiting.approvers === undefined ? {} : { approvers: [...waiting.approvers] }),
    ...(waiting.form === undefined ? {} : { form: JSON.stringify(waiting.form) }),
    ...(waiting.page === undefined ? {} : { page: waiting.page }),
  };
}

export function waitingFromDocument(document: WaitingDocument): Waiting {
  return {
    step_id: document.step_id,
    kind: document.kind,
    name: document.name,
    since: document.since.getTime(),
    until: document.until?.getTime() ?? null,
    ...(document.message === undefined ? {} : { message: document.message }),
    ...(document.approvers === undefined ? {} : { approvers: document.approvers }),
    ...(document.form === undefined ? {} : { form: JSON.parse(document.form) as Json }),
    ...(document.page === undefined ? {} : { page: document.page }),
  };
}

export const pauseToDocument = ({ kind, rev, at, by, reason }: PauseRequest): PauseDocument => ({
  kind,
  rev,
  at: new Date(at),
  by,
  reason,
});

export const pauseFromDocument = (document: PauseDocument | undefined): PauseRequest | null =>
  document === undefined ? null : { ...document, at: document.at.getTime() };
