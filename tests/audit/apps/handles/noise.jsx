// What changes by itself: a clock, relative times, a random order, advertisements, a carousel, lazy images, a third party's
// script and a service worker that only caches.

import { useEffect, useState } from "react";
import "./noise.css";

const ADS = ["Fresh food for old dogs", "Brushes for every cat", "Cages at half price", "Leads that glow at night"];
const TIPS = [
  "Weigh your pet each month",
  "Keep chocolate away",
  "Bring a list of questions",
  "Arrive ten minutes early",
];
const SLIDES = ["Meet our new surgeon", "Open on Saturdays", "Free check of teeth in May"];

function useTicks(milliseconds) {
  const [ticks, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTicks((count) => count + 1), milliseconds);
    return () => clearInterval(timer);
  }, [milliseconds]);
  return ticks;
}

export function Noise({ thirdParty }) {
  useEffect(() => {
    navigator.serviceWorker?.register("/sw.js").catch(() => {});
    const script = Object.assign(document.createElement("script"), { src: `${thirdParty}/banner.js` });
    document.body.append(script);
  }, [thirdParty]);
  return (
    <aside>
      <div className="pulse" />
      <Clock />
      <Tips />
      <Ad />
      <Carousel />
      {[1, 2, 3].map((number) => (
        <img key={number} src={`/pet.svg?${number}`} width="200" height="600" loading="lazy" alt="" />
      ))}
    </aside>
  );
}

function Clock() {
  const seconds = useTicks(1_000);
  return (
    <>
      <p>{new Date().toLocaleTimeString("en-GB")}</p>
      <p>
        Opened {seconds} {seconds === 1 ? "second" : "seconds"} ago
      </p>
    </>
  );
}

function Tips() {
  const [tips] = useState(() => TIPS.map((text) => [Math.random(), text]).sort());
  return (
    <ul>
      {tips.map(([, text]) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

function Ad() {
  useTicks(700);
  return <p>Advertisement: {ADS[Math.floor(Math.random() * ADS.length)]}</p>;
}

function Carousel() {
  const ticks = useTicks(900);
  const [skipped, setSkipped] = useState(0);
  return (
    <section aria-label="News">
      <div key={ticks + skipped} className="slide">
        {SLIDES[(ticks + skipped) % SLIDES.length]}
      </div>
      <button type="button" onClick={() => setSkipped(skipped + 1)}>
        Next
      </button>
    </section>
  );
}
