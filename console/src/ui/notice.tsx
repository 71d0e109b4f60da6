import type { ReactNode } from 'react';
import { classes } from './classes';
import { AlertIcon, CompletedIcon, InfoIcon, WarningIcon } from './icon';
import './notice.css';

const ICONS = { info: InfoIcon, ok: CompletedIcon, warn: WarningIcon, danger: AlertIcon } as const;

interface NoticeProps {
  readonly tone?: keyof typeof ICONS;
  readonly children: ReactNode;
  /** Buttons or links at the end. */
  readonly actions?: ReactNode;
  readonly className?: string;
}

/** A message in the flow of a page; errors are announced. */
export function Notice({ tone = 'info', children, actions, className }: NoticeProps) {
  const Glyph = ICONS[tone];
  return (
    <div className={classes('notice', `notice-${tone}`, className)} role={tone === 'danger' ? 'alert' : 'status'}>
      <Glyph size={16} aria-hidden="true" />
      <div className="notice-text">{children}</div>
      {actions && <div className="notice-actions">{actions}</div>}
    </div>
  );
}
