"""The maths and the use cases of vchunk: numpy, scipy and the standard library only.

The modules follow a document through the pipeline: ``document`` (the text of record and its
blocks), ``anchors`` and ``windows`` (what the encoder reads), ``mesh`` and ``quantize`` (one
vector a token), ``velocity`` and ``prominence`` (where the topic turns), ``boundaries`` and
``units`` (where a cut is allowed), ``snapping``, ``suppression`` and ``objective`` (which
boundaries are cut), ``sections`` and ``tree`` (what lies in what), ``chunks`` (the records), and
the use cases ``embedding``, ``chunking`` and ``outline`` that call them over the ports.
"""
