import type { ReactNode } from 'react';
import { Logo } from '../../app/logo';
import '../../app/shell.css';
import styles from './sign-in.module.css';

interface FrameProps {
  readonly title: string;
  readonly description?: ReactNode;
  /** Below the card, such as the way to another page. */
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the pages before the sign-in. */
export function SignInFrame({ title, description, footer, children }: FrameProps) {
  return (
    <main className={styles.frame}>
      <title>{`${title} · Everstep`}</title>
      <div className={styles.logo}>
        <Logo />
      </div>
      <section className={styles.card}>
        <header className={styles.header}>
          <h1>{title}</h1>
          {description && <p>{description}</p>}
        </header>
        {children}
      </section>
      {footer && <p className={styles.footer}>{footer}</p>}
    </main>
  );
}
