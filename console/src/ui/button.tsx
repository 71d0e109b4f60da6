import { createLink, type LinkComponent } from '@tanstack/react-router';
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import './button.css';
import { classes } from './classes';
import type { Icon } from './icon';
import { useShown } from './may-edit';

type Kind = 'primary' | 'secondary' | 'ghost' | 'danger';
type Size = 'medium' | 'small' | 'large';

interface Look {
  readonly kind?: Kind;
  readonly size?: Size;
  readonly icon?: Icon;
  /** Shows progress and takes no further click. */
  readonly busy?: boolean;
  /** Changes the workspace; not shown to viewers. */
  readonly edits?: boolean;
}

type ButtonProps = Look & ButtonHTMLAttributes<HTMLButtonElement> & { ref?: Ref<HTMLButtonElement> };

const lookOf = ({ kind = 'secondary', size = 'medium' }: Look, className: string | undefined): string =>
  classes('button', `button-${kind}`, `button-${size}`, className);

export function Button({
  kind,
  size,
  icon: Glyph,
  busy = false,
  edits = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  if (!useShown(edits)) return null;
  return (
    <button
      type="button"
      {...rest}
      className={lookOf({ kind, size }, className)}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {busy ? <span className="button-progress" aria-hidden="true" /> : Glyph && <Glyph size={16} aria-hidden="true" />}
      {children !== undefined && <span className="button-text">{children}</span>}
    </button>
  );
}

type IconButtonProps = Omit<ButtonProps, 'children' | 'icon'> & { readonly icon: Icon; readonly label: string };

/** A button without text; the label is its name and its tooltip. */
export function IconButton({
  icon: Glyph,
  label,
  kind = 'ghost',
  size,
  className,
  busy: _busy,
  edits = false,
  ...rest
}: IconButtonProps) {
  if (!useShown(edits)) return null;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={classes(lookOf({ kind, size }, className), 'button-icon')}
    >
      <Glyph size={16} aria-hidden="true" />
    </button>
  );
}

type AnchorProps = Look &
  AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement>; children?: ReactNode };

/** A link to another server or to a file that looks like a button. */
export function AnchorButton({
  kind,
  size,
  icon: Glyph,
  busy: _busy,
  edits = false,
  className,
  children,
  ...rest
}: AnchorProps) {
  if (!useShown(edits)) return null;
  return (
    <a {...rest} className={lookOf({ kind, size }, className)}>
      {Glyph && <Glyph size={16} aria-hidden="true" />}
      <span className="button-text">{children}</span>
    </a>
  );
}

/** A link to a page of the console that looks like a button. */
export const LinkButton: LinkComponent<typeof AnchorButton> = createLink(AnchorButton);
