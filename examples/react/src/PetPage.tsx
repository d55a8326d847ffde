import { useCallback } from "react";
import type { Api, ReadOptions } from "./api";
import { Loaded } from "./Loaded";
import { OrderPet } from "./OrderPet";
import { useLoad } from "./useLoad";

export function PetPage({ api, id }: { api: Api; id: string }) {
  const load = useCallback(
    (options: ReadOptions) => api.getPet(id, options),
    [api, id],
  );
  const { result, reload } = useLoad(load);
  return (
    <>
      <p>
        <a href="#/">All pets</a>
      </p>
      {result.state === "failed" && result.error.status === 404 ? (
        <>
          <h2>Pet not found</h2>
          <p>{result.error.message}</p>
        </>
      ) : (
        <Loaded result={result} reload={reload}>
          {({ pet, sunset }) => (
            <>
              {sunset && (
                <p role="note" className="banner">
                  This page uses an operation of the server that will be removed
                  on {formatDate(sunset)}.
                </p>
              )}
              <h2>{pet.name}</h2>
              <dl>
                <dt>Category</dt>
                <dd>{pet.categoryId}</dd>
                <dt>Status</dt>
                <dd>{pet.status ?? "none"}</dd>
              </dl>
              <OrderPet api={api} pet={pet} />
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

function formatDate(date: Date): string {
  return date.toLocaleDateString("en-GB", {
    dateStyle: "long",
    timeZone: "UTC",
  });
}
