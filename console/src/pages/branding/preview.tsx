import type { CSSProperties } from 'react';
import type { brandPalette } from '../../../../lib/brand-colors';
import { classes } from '../../ui';
import styles from './branding.module.css';

interface PreviewProps {
  readonly theme: 'light' | 'dark';
  readonly name: string;
  readonly logo: string | null;
  readonly palette: ReturnType<typeof brandPalette>;
}

/** A public page in small. It is a picture: nothing in it can be used. */
export function Preview({ theme, name, logo, palette }: PreviewProps) {
  const colors = {
    '--brand-fill': palette.fill,
    '--brand-on': palette.onFill,
    '--brand-line': palette[theme],
  } as CSSProperties;
  return (
    <div
      className={classes(styles.preview, theme === 'dark' && styles.dark)}
      style={colors}
      role="img"
      aria-label={`A form in the ${theme} theme`}
    >
      <span className={styles.head}>
        {logo !== null && <img src={logo} alt="" />}
        {name}
      </span>
      <span className={styles.sheet}>
        <strong>Report a damage</strong>
        <span>
          We answer within a day. <span className={styles.link}>Terms</span>
        </span>
        <span className={styles.box}>Ada</span>
        <span className={styles.button}>Send</span>
      </span>
    </div>
  );
}
