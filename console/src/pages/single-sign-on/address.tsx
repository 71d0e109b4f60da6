import { CopyText } from '../../ui';
import styles from './single-sign-on.module.css';

/** An address to enter at the provider. */
export const Address = ({ label, text }: { readonly label: string; readonly text: string }) => (
  <div className={styles.address}>
    <p className="cell-muted">{label}</p>
    <CopyText text={text} />
  </div>
);
