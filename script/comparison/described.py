"""Networks of video, image and audio generation, of segmentation of volumes and of detection, as their papers describe them,
with random weights. Real ones need packages of their own.

  image_decoder_EDGE        the decoder of an image autoencoder: 8 times the latent's edge, 16 latent channels, group norms
                            (Rombach et al., High-Resolution Image Synthesis with Latent Diffusion Models; FLUX.1's widths)
  video_decoder_HEIGHTxWIDTH  the decoder of a causal video autoencoder: 3 latent frames make 9 (Wan: Open and Advanced
                            Large-Scale Video Generative Models)
  nnunet_EDGE               a U-Net of volumes with instance norms (Isensee et al., nnU-Net)
  mednext_EDGE              a U-Net of depthwise blocks (Roy et al., MedNeXt), its small model
  audio_decoder_SECONDS     the decoder of an audio codec of 44.1 kHz (Kumar et al., High-Fidelity Audio Compression with
                            Improved RVQGAN)
  detector_EDGE             a detector of objects (the small YOLOv8 of Ultralytics), 3 channels of EDGE x EDGE
"""
import re
from typing import NamedTuple

from .detector import Detector
from .video_and_volumes import LATENT, AudioDecoder, ImageDecoder, MedNext, NnUNet, VideoDecoder


class Described(NamedTuple):
    """A network, or several of different sizes."""
    name: str  # as in the help: capitals are numbers
    multiple: int  # of which each number is one
    share: int  # the images of a batch of one
    size: object  # numbers -> an input without its batch
    build: object  # classes -> the network


NETWORKS = [
    Described("image_decoder_EDGE", 8, 64, lambda edge: (LATENT, edge // 8, edge // 8), lambda classes: ImageDecoder()),
    Described("video_decoder_HEIGHTxWIDTH", 8, 64, lambda height, width: (LATENT, 3, height // 8, width // 8),
              lambda classes: VideoDecoder()),
    Described("nnunet_EDGE", 64, 32, lambda edge: (1, edge, edge, edge), NnUNet),
    Described("mednext_EDGE", 32, 32, lambda edge: (1, edge, edge, edge), MedNext),
    Described("audio_decoder_SECONDS", 1, 64, lambda seconds: (AudioDecoder.latent, AudioDecoder.frames * seconds),
              lambda classes: AudioDecoder()),
    Described("detector_EDGE", 32, 8, lambda edge: (3, edge, edge), lambda classes: Detector()),
]


def found(name):
    """(the network of this name, its numbers), or None."""
    for network in NETWORKS:
        match = re.fullmatch(re.sub("[A-Z]+", r"(\\d{1,5})", network.name), name)
        if match:
            return network, [int(number) for number in match.groups()]
    return None
