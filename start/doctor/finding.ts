import type { Config } from '../../lib/config';
import type { Deployment } from './deployment';

/** From best to worst. `note`: nothing is wrong, but it should be known. */
export const SEVERITIES = ['ok', 'note', 'warning', 'fault'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What a check has found. Never holds a password, a key or a URL with one. */
export interface Finding {
  readonly severity: Severity;
  readonly what: string;
  /** How to mend it, in a sentence; absent where there is nothing to mend. */
  readonly mend?: string;
}

export const ok = (what: string): Finding => ({ severity: 'ok', what });
export const note = (what: string, mend?: string): Finding => ({ severity: 'note', what, mend });
export const warning = (what: string, mend: string): Finding => ({ severity: 'warning', what, mend });
export const fault = (what: string, mend: string): Finding => ({ severity: 'fault', what, mend });

/** What a check may look at. */
export interface Patient {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The database and what is on record in it; opened once for all checks. */
  readonly deployment: Deployment;
}

/** A row of the table of checks. A thrown error is a finding too, told by the runner. */
export interface Check {
  readonly name: string;
  /** It is left out where the database cannot be opened, which the check of that tells. */
  readonly needsDatabase?: true;
  /** How to mend it when it cannot even be looked at. */
  readonly mend: string;
  run(patient: Patient): Promise<readonly Finding[]>;
}

/** Messages of drivers may repeat the URL that they were given. Pure. */
export const withoutSecrets = (text: string): string =>
  text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1***@').replace(/\s*\n\s*/g, ' ');

/** The worst of some findings; `ok` where there are none. Pure. */
export const worstOf = (findings: readonly Finding[]): Severity =>
  SEVERITIES[Math.max(0, ...findings.map(({ severity }) => SEVERITIES.indexOf(severity)))] ?? 'ok';
