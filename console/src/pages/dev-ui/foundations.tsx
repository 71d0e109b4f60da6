import { Card } from '../../ui';
import * as icons from '../../ui/icon';
import styles from './dev-ui.module.css';

const COLOURS = [
  'bg',
  'surface',
  'surface-sunken',
  'hover',
  'pressed',
  'border',
  'border-strong',
  'control-border',
  'text-faint',
  'text-muted',
  'text',
  'accent',
  'accent-soft',
  'ok',
  'danger',
  'warn',
  'info',
];
const SIZES = [12, 13, 14, 16, 20, 24];
const SPACES = [1, 2, 3, 4, 5, 6, 8, 10, 12];

/** Colours, type, spacing and icons. */
export function Foundations() {
  return (
    <>
      <Card title="Colours">
        <ul className={styles.swatches}>
          {COLOURS.map((name) => (
            <li key={name}>
              <span className={styles.swatch} style={{ background: `var(--${name})` }} />
              <code>{name}</code>
            </li>
          ))}
        </ul>
      </Card>
      <Card title="Type and spacing">
        <div className={styles.columns}>
          <ul>
            {SIZES.map((size) => (
              <li key={size} style={{ fontSize: `var(--text-${size})`, lineHeight: '32px' }}>
                {size} px: the quick brown fox
              </li>
            ))}
          </ul>
          <ul>
            {SPACES.map((step) => (
              <li key={step} className={styles.space}>
                <code>{`--s${step}`}</code>
                <span style={{ width: `var(--s${step})` }} />
              </li>
            ))}
          </ul>
        </div>
      </Card>
      <Card title="Icons">
        <ul className={styles.icons}>
          {Object.entries(icons).map(([name, Glyph]) => (
            <li key={name}>
              <Glyph size={16} aria-hidden="true" />
              <span>{name.replace(/Icon$/, '')}</span>
            </li>
          ))}
        </ul>
      </Card>
    </>
  );
}
