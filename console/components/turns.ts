/** A counter that makes a screen request again data that changes by itself. */
import { useEffect, useState } from 'preact/hooks';

const followMs = 3_000;

/** Counts up every few seconds while it is on and the page is visible. */
export function useTurns(isOn: boolean): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!isOn) return;
    const next = () => {
      if (document.visibilityState === 'visible') setTurn((before) => before + 1);
    };
    next();
    const timer = setInterval(next, followMs);
    document.addEventListener('visibilitychange', next);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', next);
    };
  }, [isOn]);
  return turn;
}
