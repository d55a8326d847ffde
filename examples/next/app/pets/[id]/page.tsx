import type { Metadata } from "next";
import Link from "next/link";
import { notFound, redirect } from "next/navigation";
import { Failure } from "../../../lib/Failure";
import { ApiError, createPet, getPet } from "../../../lib/api";

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const pet = await load(params);
  return { title: pet instanceof ApiError ? "Pet store" : pet.name };
}

export default async function Page({ params }: Props) {
  const pet = await load(params);
  if (pet instanceof ApiError) return <Failure error={pet} />;
  const { name, categoryId } = pet;

  async function copy(): Promise<void> {
    "use server";
    const { id } = await createPet({ name: `Copy of ${name}`, categoryId });
    redirect(`/pets/${id}`);
  }

  return (
    <main>
      <h1>{name}</h1>
      <p>Category {categoryId}</p>
      <form action={copy}>
        <button>Copy</button>
      </form>
      <Link href="/">All pets</Link>
    </main>
  );
}

/** Return the pet, or why it cannot be shown. Next sends equal requests of one render once. */
async function load(params: Props["params"]) {
  try {
    return await getPet((await params).id);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 404) notFound();
    return error;
  }
}
