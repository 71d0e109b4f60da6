import type { KnowledgeHit } from '../../api/client';
import { markedPieces, rankingRows } from '../../model/knowledge';
import styles from './knowledge.module.css';

interface HitProps {
  readonly hit: KnowledgeHit;
  /** From 1. */
  readonly place: number;
  readonly mode: string;
  readonly onOpen: (documentId: string) => void;
}

/** A hit of a search: its text with the words that were found, and why it is at its place. */
export function Hit({ hit, place, mode, onOpen }: HitProps) {
  const { document_id: document, document_name: name, heading, page, text, highlights, ranking } = hit;
  return (
    <li className={styles.hit}>
      <div className={styles.hitHead}>
        <span className={styles.place}>{place}</span>
        <div>
          <button type="button" className={styles.document} onClick={() => onOpen(document)}>
            {name}
          </button>
          <p className={styles.meta}>{[heading, page === null ? null : `page ${page}`].filter(Boolean).join(' · ')}</p>
        </div>
      </div>
      <p className={styles.text}>
        {markedPieces(text, highlights).map((piece, at) =>
          piece.isMarked ? <mark key={at}>{piece.text}</mark> : <span key={at}>{piece.text}</span>,
        )}
      </p>
      {ranking !== undefined && (
        <table className={styles.ranking}>
          <caption className="visually-hidden">{`Ranking of hit ${place}`}</caption>
          <thead>
            <tr>
              <th scope="col">Search</th>
              <th scope="col">Rank</th>
              <th scope="col">Score</th>
              <th scope="col">What it did</th>
            </tr>
          </thead>
          <tbody>
            {rankingRows(ranking, mode).map(({ step, rank, score, note }) => (
              <tr key={step}>
                <th scope="row">{step}</th>
                <td>{rank}</td>
                <td>{score}</td>
                <td>{note}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </li>
  );
}
