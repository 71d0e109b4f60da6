/** What notices say. Pure. */
import type { AlertCondition } from '../../contracts/alerts';
import { durationText } from './rules/words';
import type { NoticeKind } from '../../contracts/alerts';

/** What a notice is about; the body of a webhook has it, too. Instants in epoch milliseconds. */
export interface NoticeFacts {
  readonly kind: NoticeKind;
  readonly at: number;
  readonly rule: { readonly id: string; readonly name: string; readonly condition: AlertCondition };
  /** Null: it is of the tenant. */
  readonly workflow: { readonly id: string; readonly name: string } | null;
  /** Counts the incidents of the rule and the workflow, and the notices of the incident; a test is of none. */
  readonly incident: number;
  readonly sequence: number;
  readonly since: number;
  readonly count: number;
  readonly runs: readonly string[];
  readonly detail: string;
}

/** Addresses of the console. */
export interface Console {
  readonly url: string;
}

const MAX_SUBJECT_CHARS = 150;
/** Names are of users: in a line of a mail they must not make further lines. */
const oneLine = (text: string, max: number): string =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, max);

const BEGINNINGS: Readonly<Record<NoticeKind, string>> = {
  opened: '[Alert]',
  reminder: '[Still firing]',
  recovered: '[Recovered]',
  test: '[Test]',
};

export function subjectOf({ kind, rule, workflow }: NoticeFacts): string {
  const of = workflow === null ? '' : `: ${oneLine(workflow.name, 60)}`;
  return oneLine(`${BEGINNINGS[kind]} ${rule.name}`, 80).concat(of).slice(0, MAX_SUBJECT_CHARS);
}

/** The text of mails and chats. */
export function textOf(facts: NoticeFacts, console: Console): string {
  const { kind, at, since, count, runs, detail, rule, workflow } = facts;
  const iso = (ms: number): string => new Date(ms).toISOString();
  const of = workflow === null ? 'the whole tenant' : `workflow "${oneLine(workflow.name, 100)}"`;
  const lines = [
    kind === 'test' ? 'This is a test of an alert. Nothing has happened.' : '',
    `Alert "${oneLine(rule.name, 200)}", ${of}:`,
    kind === 'recovered' ? `It is over, after ${durationText(at - since)}. It was: ${detail}.` : `${capital(detail)}.`,
    `Since ${iso(since)}${count > 1 ? `, ${count} times` : ''}.`,
    ...(runs.length === 0 ? [] : ['', 'Runs:', ...runs.map((id) => runUrl(console, id))]),
    '',
    `Rule: ${ruleUrl(console, rule.id)}`,
  ];
  return lines.join('\n').trim();
}

/** The body of a webhook. */
export const bodyOf = (facts: NoticeFacts, id: string, tenantId: string, console: Console) => ({
  id,
  type: `alert.${facts.kind}`,
  timestamp: new Date(facts.at).toISOString(),
  data: {
    tenant_id: tenantId,
    alert: facts.rule,
    workflow: facts.workflow,
    incident: facts.incident,
    sequence: facts.sequence,
    since: new Date(facts.since).toISOString(),
    count: facts.count,
    summary: facts.detail,
    executions: facts.runs.map((run) => ({ id: run, url: runUrl(console, run) })),
    url: ruleUrl(console, facts.rule.id),
  },
});

const runUrl = ({ url }: Console, id: string): string => `${url}/runs/${id}`;
const ruleUrl = ({ url }: Console, id: string): string => `${url}/alerts?open=${id}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
