import { withoutUrlCredentials } from '../../lib/text-patterns';
import type { Config } from '../../lib/config';
import type { Deployment } from './deployment';

/** From best to worst. `note`: not a fault, but worth knowing. */
export const SEVERITIES = ['ok', 'note', 'warning', 'fault'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A finding of a check. Never holds a password, a key or a URL with one. */
export interface Finding {
  readonly severity: Severity;
  readonly what: string;
  /** What to do, in a sentence; absent when nothing is to be done. */
  readonly mend?: string;
}

export const ok = (what: string): Finding => ({ severity: 'ok', what });
export const note = (what: string, mend?: string): Finding => ({ severity: 'note', what, mend });
export const warning = (what: string, mend: string): Finding => ({ severity: 'warning', what, mend });
export const fault = (what: string, mend: string): Finding => ({ severity: 'fault', what, mend });

/** Input of a check. */
export interface CheckContext {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The database; opened once for all checks. */
  readonly deployment: Deployment;
}

/** A check. The runner turns a thrown error into a finding. */
export interface Check {
  readonly name: string;
  /** Skipped when the database cannot be opened, which its own check reports. */
  readonly needsDatabase?: true;
  /** What to do when the check itself fails. */
  readonly mend: string;
  run(context: CheckContext): Promise<readonly Finding[]>;
}

/** Removes credentials from URLs: driver messages may repeat them. Pure. */
export const withoutSecrets = (text: string): string => withoutUrlCredentials(text).replace(/\s*\n\s*/g, ' ');

/** The worst of some findings; `ok` where there are none. Pure. */
export const worstOf = (findings: readonly Finding[]): Severity =>
  SEVERITIES[Math.max(0, ...findings.map(({ severity }) => SEVERITIES.indexOf(severity)))] ?? 'ok';
