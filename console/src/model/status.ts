/** How a status is shown: one colour and one icon for each meaning, everywhere in the console. */
export type Tone = 'ok' | 'danger' | 'warn' | 'info' | 'neutral';

interface StatusLook {
  readonly tone: Tone;
  readonly label: string;
}

const STATUSES: Readonly<Record<string, StatusLook>> = {
  running: { tone: 'info', label: 'Running' },
  completed: { tone: 'ok', label: 'Completed' },
  failed: { tone: 'danger', label: 'Failed' },
  cancelled: { tone: 'neutral', label: 'Cancelled' },
  waiting: { tone: 'warn', label: 'Waiting' },
  paused: { tone: 'warn', label: 'Paused' },
  queued: { tone: 'neutral', label: 'Queued' },
  approved: { tone: 'ok', label: 'Approved' },
  rejected: { tone: 'danger', label: 'Rejected' },
  pending: { tone: 'warn', label: 'Pending' },
  skipped: { tone: 'neutral', label: 'Skipped' },
  active: { tone: 'ok', label: 'Active' },
  enabled: { tone: 'ok', label: 'Enabled' },
  disabled: { tone: 'neutral', label: 'Disabled' },
  expired: { tone: 'danger', label: 'Expired' },
  revoked: { tone: 'danger', label: 'Revoked' },
};

/** The look of a status; one that is not known is shown as it is. */
export const statusLook = (status: string): StatusLook =>
  STATUSES[status] ?? {
    tone: 'neutral',
    label: status.charAt(0).toUpperCase() + status.slice(1).replaceAll('_', ' '),
  };
