import type { ReactNode } from 'react';
import { statusLook, type Tone } from '../model/status';
import './badge.css';
import { classes } from './classes';
import { CancelledIcon, CompletedIcon, FailedIcon, type Icon, PausedIcon, QueuedIcon, RunningIcon } from './icon';

const ICONS: Readonly<Record<string, Icon>> = {
  running: RunningIcon,
  completed: CompletedIcon,
  active: CompletedIcon,
  enabled: CompletedIcon,
  failed: FailedIcon,
  approved: CompletedIcon,
  rejected: FailedIcon,
  expired: FailedIcon,
  revoked: FailedIcon,
  cancelled: CancelledIcon,
  disabled: CancelledIcon,
  waiting: PausedIcon,
  paused: PausedIcon,
  pending: PausedIcon,
};

/** The status of a run, a step or a workflow: icon and word in its colour. */
export function Status({ status, label }: { readonly status: string; readonly label?: string }) {
  const look = statusLook(status);
  const Glyph = ICONS[status] ?? QueuedIcon;
  return (
    <span className={classes('status', `status-${look.tone}`, status === 'running' && 'status-moving')}>
      <Glyph size={14} aria-hidden="true" />
      <span className="table-word">{label ?? look.label}</span>
    </span>
  );
}

/** The icon of a status alone, where a word has no room; the word is its tooltip. */
export function StatusIcon({ status }: { readonly status: string }) {
  const { label, tone } = statusLook(status);
  const Glyph = ICONS[status] ?? QueuedIcon;
  return (
    <span className={`status status-${tone}`} title={label}>
      <Glyph size={16} role="img" aria-label={label} />
    </span>
  );
}

/** A short word about a thing, such as its plan or its role. */
export function Badge({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return <span className={classes('badge', `badge-${tone}`)}>{children}</span>;
}

/** A number beside a name, such as of waiting approvals. */
export function Count({ value, label }: { readonly value: number; readonly label: string }) {
  if (value === 0) return null;
  return (
    <span className="count">
      {value > 99 ? '99+' : value}
      <span className="visually-hidden"> {label}</span>
    </span>
  );
}
