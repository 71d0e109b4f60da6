import { useSyncExternalStore } from 'react';
import { IconButton } from './button';
import { classes } from './classes';
import { AlertIcon, CloseIcon, CompletedIcon } from './icon';
import './toast.css';

interface Toast {
  readonly id: number;
  readonly tone: 'ok' | 'danger';
  readonly message: string;
}

const SHOWN_MS = 5_000;
/** An error stays longer, since it has to be read. */
const ERROR_SHOWN_MS = 12_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const remove = (id: number): void => set(toasts.filter((toast) => toast.id !== id));

function add(tone: Toast['tone'], message: string): void {
  lastId += 1;
  const id = lastId;
  set([...toasts.slice(-2), { id, tone, message }]);
  setTimeout(() => remove(id), tone === 'ok' ? SHOWN_MS : ERROR_SHOWN_MS);
}

/** A short confirmation at the edge of the page. */
export const toast = (message: string): void => add('ok', message);
/** The same for an act that failed. */
export const toastError = (error: unknown): void =>
  add('danger', error instanceof Error ? error.message : String(error));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Once in the application. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, tone, message }) => (
        <div key={id} className={classes('toast', `toast-${tone}`)}>
          {tone === 'ok' ? <CompletedIcon size={16} aria-hidden="true" /> : <AlertIcon size={16} aria-hidden="true" />}
          <span>{message}</span>
          <IconButton icon={CloseIcon} label="Dismiss" size="small" onClick={() => remove(id)} />
        </div>
      ))}
    </div>
  );
}
